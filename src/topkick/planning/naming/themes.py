"""The subjects of names: keywords, phrases, and a cast for any mood.

Here are the themes of the craft itself (tests, tools, builds) and of what people see and touch
(screens, documents, sound, play); `themes_services` has those of what runs out of sight.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Theme:
    """A theme; `cast` are singular living beings, so that every mood fits each of them.

    `weight` is low for subjects of nearly every plan, such as tests.
    """

    name: str
    keywords: frozenset[str]
    phrases: tuple[str, ...]
    cast: tuple[str, ...]
    weight: int = 3


def theme(name: str, keywords: str, phrases: str, cast: str, weight: int = 3) -> Theme:
    """Make a theme; keywords are separated by blanks (`rate+limit` is two words), the others by
    commas.
    """
    words = frozenset(word.replace("+", " ") for word in keywords.split())
    return Theme(name, words, _listed(phrases), _listed(cast), weight)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split(","))


MOODS = _listed(
    "SLEEPLESS, UNHURRIED, CAFFEINATED, POLITE, STUBBORN, WHISPERING, TIPTOEING, GRINNING, DAPPER,"
    "WIDE-AWAKE, BAREFOOT, HUMMING, MOONLIT, UNFLAPPABLE, METICULOUS, PAJAMA-CLAD, MIDNIGHT,"
    "WELL-RESTED, SLIPPERED, SUSPICIOUSLY CALM"
)


CRAFT = (
    theme(
        "compression",
        "compress compression compressed gzip zip archive archives minify deduplicate dedup "
        "pruning",
        "VACUUM-PACKED ELEPHANT, SUITCASE WRESTLING, SAT-ON SUITCASE, SQUASHED ACCORDION, "
        "FOLDED CIRCUS TENT, SHIP IN A BOTTLE, CLOWN CAR, POCKET WHALE, PRESSED FLOWERS, "
        "TIGHTLY ROLLED SOCKS, JAM JAR OCEAN, PANCAKED PILLOW",
        "CONTORTIONIST, SUITCASE SITTER, ACCORDION PLAYER, SOCK ROLLER, TENT FOLDER, "
        "CLOWN CAR DRIVER, HEDGEHOG, SARDINE PACKER, PANCAKE CHEF, ARMADILLO",
    ),
    theme(
        "tests",
        "test tests testing coverage e2e regression qa mock mocks fixture fixtures unit+tests "
        "integration+test tdd",
        "WOBBLY CHAIR, POKED PUDDING, WHITE GLOVE, TRUST FALL, BOUNCED MATTRESS, "
        "TAPPED WATERMELON, KICKED TYRES, EGG DROP, SECOND OPINION, TASTED SOUP, "
        "TWICE-COUNTED SPOONS, CRASH TEST CUSHION",
        "MATTRESS TESTER, FOOD TASTER, BATH DUCK, WATERMELON THUMPER, SCEPTIC, ICE WALKER, "
        "DRIVING INSTRUCTOR, QUALITY MOUSE, REFEREE, PUDDING CRITIC",
        weight=1,
    ),
    theme(
        "ci",
        "ci cd pipeline pipelines github+actions workflow+file jenkins release releases "
        "versioning changelog continuous",
        "TOPPLING DOMINOES, MARBLE RUN, GREEN LIGHT PARADE, CAR WASH, SAUSAGE LINK, DUCK ROW, "
        "BREAKFAST CONVEYOR, CLOCKWORK PENGUINS, PERPETUAL TOASTER, RIBBON CUTTING, "
        "PIPING HOT BISCUITS, SUNRISE LAUNCH",
        "TOAST INSPECTOR, PLUMBER, SIGNALMAN, PENGUIN ENGINEER, DOMINO STACKER, FACTORY WHISTLER, "
        "TRACK LAYER, BEAVER ENGINEER, RIBBON CUTTER, MARBLE RACER",
        weight=2,
    ),
    theme(
        "formatting",
        "format formatter formatting lint linter linting style pretty prettier beautify cleanup "
        "clean tidy refactor refactoring decomposition separation reorganize",
        "COMBED MOUSTACHE, HOSPITAL CORNERS, SPRING CLEANING, FEATHER DUSTER, TUCKED SHIRT, "
        "TOPIARY SWAN, STRAIGHTENED TIE, RAKED GRAVEL, LINT ROLLER, SORTED SOCK DRAWER, "
        "IRONED SHOELACES, MARIGOLD GLOVES",
        "HEDGE TRIMMER, BARBER, HOUSEKEEPER, CHIMNEY SWEEP, SHOE SHINER, POODLE GROOMER, "
        "CUPBOARD ELF, TOPIARY ARTIST, LAUNDRY FAIRY, GRAVEL RAKER",
        weight=2,
    ),
    theme(
        "parsing",
        "parse parser parsing grammar lexer tokenizer compiler interpreter ast syntax language "
        "languages regex scanner extraction transpiler translation i18n localization",
        "ALPHABET SOUP, PEELED ONION, UNTANGLED YARN, SHELLED PEAS, DIAGRAMMED SANDWICH, "
        "CRACKED WALNUT, DISSECTED LASAGNA, SPELLED-OUT SPAGHETTI, ARTICHOKE HEART, "
        "PICKLED VERBS, SORTED SYLLABLES, COMMA SAFARI",
        "GRAMMARIAN, LINGUIST, ONION PEELER, INTERPRETER, ALPHABET CHEF, WALNUT CRACKER, "
        "CODE PARROT, DICTIONARY READER, RUNE READER, YARN UNTANGLER",
    ),
    theme(
        "cli",
        "cli command command-line terminal shell bash script scripts tui post-install installer "
        "dotfiles",
        "BLINKING CURSOR, SNAPPED FINGERS, MAGIC WORD, SHORT LEASH, POCKET WHISTLE, "
        "LOYAL SHEEPDOG, SPEAKING TUBE, TWO-FINGER TYPING, WAGGING TAIL, OBEDIENT KETTLE, "
        "CONDUCTOR'S BATON, SIT AND STAY",
        "SHEEPDOG, DOG WHISPERER, CONDUCTOR, DRILL SERGEANT, SHIP'S COOK, TYPIST, GENIE, "
        "PUPPY TRAINER, STAGE PROMPTER, VALET",
        weight=2,
    ),
    theme(
        "docs",
        "docs documentation readme tutorial guide manual wiki handbook knowledge",
        "FRIENDLY SIGNPOST, LABELLED JARS, GRANDMOTHER'S RECIPE, MARGIN NOTES, PATIENT UNCLE, "
        "READ ALOUD, ILLUSTRATED UMBRELLA, HOW TO BOIL WATER, BEDTIME STORY, "
        "INSTRUCTIONS INCLUDED, PICTURE BOOK, EXPLAINED SANDWICH",
        "LIBRARIAN, MUSEUM GUIDE, BEDTIME READER, RECIPE WRITER, ENCYCLOPAEDIST, STORYTELLER, "
        "SIGNPOST PAINTER, UNCLE, OWL, TOUR GUIDE",
        weight=1,
    ),
    theme(
        "ml",
        "ml ai model models inference training neural llm gpt classifier prediction mlx "
        "transformer diffusion tensor dataset+training optimizer prompt prompts rl",
        "CRYSTAL BALL POLISH, THINKING CAP, ELECTRIC HUNCH, TRAINED FLEAS, EDUCATED GUESS, "
        "JUGGLING PROFESSORS, DREAMING TOASTER, CLEVER HANDSTAND, PARROT UNIVERSITY, "
        "SWEATER FOR A ROBOT, TEA LEAF READING, PONDERING PUMPKIN",
        "FORTUNE TELLER, FLEA TRAINER, PHILOSOPHER, ORACLE, CHESS-PLAYING OCTOPUS, PROFESSOR, "
        "DAYDREAMER, PARROT SCHOLAR, ROBOT NANNY, OWL ACADEMIC",
        weight=2,
    ),
    theme(
        "build",
        "build builds bundler webpack vite make cmake package packages packaging dependency "
        "dependencies monorepo swiftpm gradle cargo toolchain scaffold scaffolding setup "
        "bootstrap",
        "LEGENDARY TOOLBOX, GINGERBREAD SCAFFOLD, BARN RAISING, FLAT-PACK WARDROBE, SPARE SCREWS, "
        "BEAVER BLUEPRINT, TREEHOUSE WEEKEND, FIRST BRICK, SANDCASTLE PERMIT, "
        "MATCHSTICK CATHEDRAL, DRY MORTAR, WHEELBARROW WEDDING",
        "BEAVER, BRICKLAYER, BARN RAISER, CARPENTER, SANDCASTLE ARCHITECT, TREEHOUSE BUILDER, "
        "SCAFFOLD PAINTER, NEST BUILDER, GINGERBREAD BAKER, STONEMASON",
        weight=1,
    ),
    theme(
        "performance",
        "performance speed optimize optimization optimisation latency profiling benchmark "
        "benchmarks memory leak scaling scalability faster concurrency parallel",
        "GREASED TORTOISE, ROLLERSKATING SNAIL, DOWNHILL PUSHCART, RUNNING SHOES, "
        "JET-POWERED PRAM, HURRIED HEDGEHOG, BUTTERED SLIDE, SWIFT PORRIDGE, ESPRESSO RELAY, "
        "WINGED SANDALS, TURBO TRICYCLE, WHIPPET WEATHER",
        "WHIPPET, PIT CREW CHIEF, EXPRESS WAITER, SNAIL JOCKEY, ESPRESSO COURIER, SPEED KNITTER, "
        "HUMMINGBIRD, SOAPBOX RACER, TORTOISE, JACKRABBIT",
    ),
    theme(
        "config",
        "config configuration settings options preferences flags toggle toggles feature+flag "
        "frontmatter environment env registry plugin plugins extension extensions "
        "component+registry",
        "HUNDRED DIALS, LABELLED SWITCHES, THERMOSTAT TREATY, GOLDILOCKS DIAL, PATCHWORK QUILT, "
        "LEFT A BIT, SPARE BUTTONS, SUGAR OR NO SUGAR, ADJUSTABLE HAT, CHEESE BOARD COUNCIL, "
        "FUSE BOX LULLABY, TUNED WHISTLES",
        "DIAL TWIDDLER, THERMOSTAT DIPLOMAT, ORGANIST, FUSE BOX FAIRY, HAT FITTER, TAILOR, "
        "PATCHWORK QUILTER, SOUND ENGINEER, BUTTON SORTER, PICKY EATER",
        weight=2,
    ),
    theme(
        "hardware",
        "hardware firmware embedded sensor sensors iot robot robotics arduino raspberry cad "
        "freecad printer manufacturing mes factory machine machines device devices",
        "OILED HINGES, BOLT AND BISCUIT, CLOCKWORK BREAKFAST, SPROCKET SERENADE, RATTLING GEARS, "
        "TIN ROBOT TEA, LEFTOVER COGS, SOLDERED SPOON, DANCING LATHE, PATIENT SPANNER, "
        "COPPER KETTLE, BLINKING TOASTER",
        "TINKERER, CLOCKMAKER, TIN ROBOT, TOASTER REPAIRER, MECHANIC, INVENTOR, GEAR POLISHER, "
        "LATHE OPERATOR, COPPERSMITH, WIND-UP DUCK",
    ),
    theme(
        "launch",
        "launch marketing campaign growth seo viral mvp startup landing+page waitlist beta "
        "go-to-market demo prototype",
        "BRASS BAND, POPPED CORK, UNROLLED RIBBON, PAPER ROCKET, FIRST PANCAKE, SANDWICH BOARD, "
        "LOUD TROUSERS, CONFETTI FORECAST, SOAPBOX SYMPHONY, WET PAINT PREMIERE, BALLOON BUDGET, "
        "TRAINING WHEELS",
        "TOWN CRIER, RINGMASTER, BRASS BANDLEADER, SANDWICH BOARD WALKER, BALLOON SELLER, "
        "CONFETTI SWEEPER, ROCKET KNITTER, CARNIVAL BARKER, PARADE MARSHAL, PEACOCK",
        weight=2,
    ),
    theme(
        "repair",
        "fix fixes bug bugs bugfix hotfix remediation repair recovery integrity resilience "
        "compliance debt technical+debt gap gaps backup restore",
        "STICKING PLASTER, DARNED SOCKS, GLUED TEAPOT, PATCHED KNEES, UNSQUEAKED HINGE, "
        "WARM SOUP, CHICKEN SOUP, RE-STITCHED TEDDY, MENDED FENCE, BUCKET UNDER LEAK, "
        "SECOND STITCH, GOLD-SEAMED TEACUP",
        "TEDDY BEAR SURGEON, SOCK DARNER, TEAPOT MENDER, VILLAGE NURSE, HANDYMAN, LADYBIRD, "
        "ROOF PATCHER, SEAMSTRESS, COBBLER, WOODPECKER DENTIST",
        weight=2,
    ),
)

GENERAL: Theme = theme(
    "general",
    "",
    "OVERNIGHT PORRIDGE, SYNCHRONISED DUCKS, ORGANISED PICNIC, RESOLUTE TEAPOT, BORROWED LADDER, "
    "MARCHING TEASPOONS, WELL-MEANING WALRUS, THUNDERING SLIPPERS, GALLANT MARMALADE, "
    "UNSTOPPABLE WHEELBARROW, NOBLE CRUMPET, DETERMINED SNAIL, DAWN BISCUITS, QUIET TROMBONE, "
    "HEROIC HAMMOCK, BRAVE LITTLE TUGBOAT, LAST COOKIE, BUTTONED-UP PENGUINS, MODEST AVALANCHE, "
    "POLITE THUNDER, RELENTLESS KNITTING, SEVENTEEN GEESE, TEMPORARY TRAMPOLINE, "
    "PERFECTLY GOOD PLAN",
    "WALRUS, PENGUIN, TEA LADY, LAMPLIGHTER, BADGER, GOOSE, WATCHMAN, OTTER, RACCOON, SNAIL, "
    "LIBRARIAN, TRAPEZE ARTIST, PASTRY CHEF, LLAMA, GARDENER, SQUIRREL",
)


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
