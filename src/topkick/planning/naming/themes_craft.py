"""Names for the craft itself: tests, tools, builds, languages and tidying up."""

from topkick.planning.naming.theme import Theme, theme

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
