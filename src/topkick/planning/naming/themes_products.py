"""Names for what people see and touch: screens, documents, sound, play."""

from topkick.planning.naming.theme import theme

PRODUCTS = (
    theme(
        "documents",
        "pdf document documents report reports docx word spreadsheet excel csv invoice+template "
        "printing print ebook",
        "PAPER CRANE, IRONED NAPKIN, INKY FINGERS, STAPLER SYMPHONY, CARBON COPY, "
        "TYPEWRITER TANGO, DOG-EARED PAGE, FOLDED MAP, BLOTTING PAPER, RUBBER STAMP RODEO, "
        "PERFECT MARGIN, CONFETTI PREVENTION",
        "BOOKBINDER, TYPIST, PRINTER'S DEVIL, PAPER FOLDER, CALLIGRAPHER, NOTARY, RUBBER STAMPER, "
        "SCRIBE, STATIONER, ORIGAMI HERON",
    ),
    theme(
        "chat",
        "chat chatbot messenger conversation conversations dialogue assistant copilot comments "
        "forum community social",
        "GARDEN FENCE GOSSIP, TEAPOT PARLEY, PARROT CONGRESS, CAMPFIRE CHORUS, PASSED NOTES, "
        "KITCHEN TABLE, CHATTERBOX EXPRESS, HAIRDRESSER'S CHAIR, COFFEE MACHINE SUMMIT, "
        "BARBERSHOP HARMONY, TWO SPOONS TALKING, RAMBLING ROSES",
        "CHATTERBOX, PARROT, TALK SHOW HOST, GARDEN GOSSIP, AGONY AUNT, CAMPFIRE STORYTELLER, "
        "BARISTA, TAILOR BIRD, TEA PARTY HOST, MYNAH BIRD",
    ),
    theme(
        "images",
        "image images photo photos photography picture thumbnail thumbnails camera gallery svg "
        "icon icons ocr vision face",
        "SAY CHEESE, RED-EYE REMEDY, POLISHED LENS, CROOKED FRAME, SHOEBOX SNAPSHOTS, "
        "WATERCOLOUR DUCK, PAINTED PEACOCK, FLASHBULB BALLET, SECOND BEST SIDE, "
        "PORTRAIT OF A PICKLE, KALEIDOSCOPE BREAKFAST, SQUINTING OWL",
        "PORTRAIT PAINTER, PHOTOGRAPHER, PICTURE FRAMER, DARKROOM BAT, CHAMELEON, LENS POLISHER, "
        "SKETCH ARTIST, PEACOCK, WATERCOLOURIST, SILHOUETTE CUTTER",
    ),
    theme(
        "video",
        "video videos movie film player playback transcoding codec ffmpeg subtitle subtitles "
        "render rendering shader shaders animation animations 3d webgl graphics",
        "BUTTERED POPCORN, FLICKERING CURTAIN, SHADOW PUPPETS, DIRECTOR'S CHAIR, "
        "SPLICED SPAGHETTI, FRONT ROW SEATS, MATINEE MUSTACHE, TAP-DANCING SPOTLIGHT, "
        "RED CARPET RABBIT, SLOW MOTION SNAIL, DISCO BALL, LAST REEL",
        "PROJECTIONIST, FILM EDITOR, PUPPETEER, POPCORN VENDOR, STUNT DOUBLE, USHER, "
        "CLAPPERBOARD CLERK, SPOTLIGHT OPERATOR, FIREFLY, MATINEE IDOL",
    ),
    theme(
        "audio",
        "audio voice voices speech sound music podcast podcasts tts transcription playlist song "
        "songs midi",
        "HUMMING TEAKETTLE, TUNED TROMBONE, SHOWER BARITONE, CLEARED THROAT, KAZOO QUARTET, "
        "WHISTLING POSTBOX, VELVET FOGHORN, SINGING SAW, EARLY ROOSTER, ACCORDION EVENING, "
        "CHOIR PRACTICE, PERFECT PITCHFORK",
        "VENTRILOQUIST, CHOIRMASTER, FOLEY ARTIST, PIANO TUNER, NIGHTINGALE, BARITONE, "
        "KAZOO SOLOIST, BANDLEADER, BULLFROG, RADIO ANNOUNCER",
    ),
    theme(
        "maps",
        "map maps gis geo geolocation location gps route routes navigation travel trip weather "
        "aviation flight transit",
        "FOLDED ATLAS, X MARKS THE SPOT, SCENIC ROUTE, LEFT AT THE LIGHTHOUSE, POCKET COMPASS, "
        "PAPER SEXTANT, WANDERING WEATHERCOCK, BREEZY BAROMETER, SHORTCUT MOUNTAIN, "
        "ROADSIDE PICNIC, TREASURE MAP TEA STAIN, ARE WE THERE YET",
        "CARTOGRAPHER, MAP FOLDER, TRAIL GUIDE, NAVIGATOR, ALBATROSS, WEATHER WATCHER, "
        "COMPASS MAKER, TAXI DRIVER, HOMING PIGEON, SHIP'S PILOT",
    ),
    theme(
        "games",
        "game games gameplay player+movement level levels quest unity unreal godot multiplayer "
        "leaderboard rpg puzzle combat",
        "EXTRA LIFE, BIRTHDAY DICE, RUBBER CHICKEN, PAPER CROWN, TREASURE SANDWICH, "
        "DRAGON TEA PARTY, BONUS ROUND, CARDBOARD CASTLE, HOPSCOTCH CHAMPION, PILLOW FORT, "
        "WOBBLY JOYSTICK, ROLLING MARBLES",
        "DUNGEON JANITOR, DRAGON GROOM, PUZZLE MAKER, COURT JESTER, QUEST GIVER, "
        "PILLOW FORT ARCHITECT, WIZARD'S APPRENTICE, GOBLIN REFEREE, HIDE-AND-SEEK CHAMPION, "
        "TREASURE OTTER",
    ),
    theme(
        "ui",
        "ui ux frontend interface screen screens component components widget design layout theme "
        "css react vue svelte swiftui page pages browser website web landing dashboard+ui button "
        "navigation+bar modal",
        "FRESH PAINT, FLUFFED CUSHIONS, POLISHED BUTTONS, WINDOW BOX, VELVET CURTAINS, "
        "SHOP WINDOW, MATCHING CURTAINS, WALLPAPER PARTY, BOW TIE INSPECTION, "
        "SPARKLING DOORKNOBS, LACQUERED PANDA, CENTRED PAINTING",
        "WINDOW DRESSER, INTERIOR DECORATOR, TAILOR, WALLPAPER HANGER, BUTTON POLISHER, "
        "SIGN PAINTER, FLORIST, CUSHION FLUFFER, BOWERBIRD, SET DESIGNER",
        weight=2,
    ),
    theme(
        "accessibility",
        "accessibility a11y aria wcag screen+reader contrast keyboard+navigation inclusive",
        "RAMP AND RIBBON, EVERY DOOR OPEN, LARGE PRINT LOVE LETTER, HELPING HAND, WIDER DOORWAY, "
        "WARM HANDRAIL, TALKING SIGNPOST, ROOM FOR EVERYONE, GENTLE SLOPE, LOW SHELF, "
        "BIG BUTTONS, EXTRA CHAIR",
        "TRAIL GUIDE, DOOR HOLDER, LIBRARY OWL, TOUR GUIDE, HOST, RAMP BUILDER, LANTERN BEARER, "
        "SIGN INTERPRETER, GUIDE DOG, USHER",
    ),
    theme(
        "mobile",
        "mobile ios android app iphone ipad react+native flutter watch widget+kit tablet",
        "POCKET CIRCUS, THUMB GYMNASTICS, FOLDING BICYCLE, SUITCASE ORCHESTRA, BACKPACK BALLOON, "
        "POCKET LIGHTHOUSE, BUTTERFINGERS INSURANCE, PALM TREE, LUNCHBOX THEATRE, "
        "SEAHORSE SADDLE, TRAVEL TOOTHBRUSH, HIP POCKET PENGUIN",
        "POCKET MAGICIAN, KANGAROO, UNICYCLIST, TRAVELLING SALESMAN, CARAVAN SNAIL, "
        "BICYCLE MESSENGER, BUSKER, ROLLER SKATER, BACKPACKER, STREET JUGGLER",
        weight=2,
    ),
    theme(
        "editors",
        "editor editing wysiwyg text+editor notes writing markdown narrative screenplay "
        "script+editor authoring content cms blog publishing story",
        "SHARPENED PENCIL, BLANK PAGE PICNIC, INKWELL EXPRESS, RED PEN RODEO, DANGLING COMMA, "
        "CROSSED-OUT MOUSTACHE, PLOT TWIST PRETZEL, FOUNTAIN PEN, HAPPY ENDING, FOOTNOTE FOXTROT, "
        "ONCE UPON A TEAPOT, SEMICOLON SALAD",
        "COPY EDITOR, GHOSTWRITER, NOVELIST, PLAYWRIGHT, POET, PROOFREADER, PENCIL SHARPENER, "
        "STORYTELLER, BOOKWORM, COMMA COLLECTOR",
    ),
    theme(
        "shopping",
        "shop store ecommerce cart product products catalog catalogue inventory marketplace "
        "orders order retail restaurant booking reservation tracker",
        "SQUEAKY TROLLEY, WELL-STACKED ORANGES, GIFT WRAP GALA, MARKET DAY, BAKER'S DOZEN, "
        "SATURDAY BASKET, RIBBON AND BOW, MELON THUMPING, TEN ITEMS OR FEWER, FRESH CROISSANT, "
        "WINDOW SHOPPING MULE, BARGAIN BIN BALLET",
        "GREENGROCER, SHOPKEEPER, GIFT WRAPPER, MARKET GARDENER, BAGGAGE BADGER, FISHMONGER, "
        "CHEESEMONGER, BASKET WEAVER, STOCK CLERK, TROLLEY WRANGLER",
    ),
    theme(
        "calendar",
        "calendar schedule schedules appointment appointments event events timer clock timezone "
        "todo tasks kanban planner timesheet",
        "CUCKOO CLOCK, TUESDAY RESCUE, EARLY BIRD BREAKFAST, WOUND-UP WATCH, SUNDIAL AT NIGHT, "
        "SNOOZE BUTTON TREATY, LEAP YEAR FROG, ON THE DOT, TEA AT FOUR, KNOTTED HANDKERCHIEF, "
        "ROOSTER ROSTER, BORROWED HOUR",
        "CUCKOO, CLOCK WINDER, ALARM GOOSE, TIMEKEEPER, ROOSTER, STATION CLERK, ALMANAC WRITER, "
        "SWALLOW, DIARY SECRETARY, SUNDIAL SALESMAN",
        weight=2,
    ),
    theme(
        "learning",
        "learning+platform course courses lesson lessons quiz school student students teacher "
        "education classroom tutor flashcards skill skills",
        "CHALK AND CHEESE, APPLE FOR TEACHER, GOLD STAR, SCHOOL OF FISH, HOMEWORK-EATING DOG, "
        "RAISED HAND, PENCIL CASE, RECESS BELL, EXTRA CREDIT, SPELLING BEE HIVE, PAPER AEROPLANE, "
        "FRONT ROW OWL",
        "SCHOOL CROSSING OWL, HEADMISTRESS, CHALKBOARD MONITOR, TUTOR, STAR PUPIL, "
        "SUBSTITUTE TEACHER, HALL MONITOR, SPELLING BEE, GYM TEACHER, SCHOOL NURSE",
    ),
)
