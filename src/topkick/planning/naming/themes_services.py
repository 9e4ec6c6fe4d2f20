"""Names for what runs out of sight: services, data, and what keeps them going."""

from topkick.planning.naming.themes import theme

SERVICES = (
    theme(
        "auth",
        "auth authentication authorization login logon signin signup oauth sso session password "
        "permission role identity account onboarding jwt passkey",
        "VELVET ROPE, SECRET KNOCK, POLISHED DOORKNOB, SINGING KEYRING, NODDING TURNSTILE, "
        "MONOGRAMMED KEYHOLE, GUEST LIST SERENADE, WELCOME MAT WALTZ, BRASS DOORBELL, "
        "CURTSYING DRAWBRIDGE, PASSWORD PICNIC, WHO GOES THERE",
        "DOORMAN, GATEKEEPER, CONCIERGE, BUTLER, CLOAKROOM CLERK, HALL PORTER, TICKET TAKER, "
        "KEY COLLECTOR, TURNSTILE OWL, LOBBY CAT",
    ),
    theme(
        "migration",
        "migration migrate migrating upgrade port porting move transition consolidation "
        "modernization legacy deprecation deprecated",
        "MOVING VAN BALLET, LABELLED BOXES, RELUCTANT PIANO, PACKED SUITCASE, GOOSE FORMATION, "
        "COVERED WAGON, SOUTHBOUND SWALLOWS, THIS SIDE UP, ROLLING SUITCASE, HERMIT CRAB SHUFFLE, "
        "FORWARDING ADDRESS, LIFTING SOFAS",
        "PIANO MOVER, CARAVAN LEADER, HERMIT CRAB, GOOSE NAVIGATOR, SUITCASE PACKER, FERRYMAN, "
        "REMOVAL FOREMAN, TORTOISE, WAGON MASTER, SALMON",
    ),
    theme(
        "rate-limits",
        "rate+limit rate+limiting rate+limiter throttle throttling quota backpressure retry "
        "backoff",
        "ONE AT A TIME, PATIENT QUEUE, DRIPPING TAP, SLOW SPOON, TAKE A NUMBER, HOURGLASS PARADE, "
        "SINGLE-FILE DUCKLINGS, SMALL SIPS, MEASURED TEASPOON, ORDERLY STAMPEDE, "
        "POLITE BOTTLENECK, CROSSING GUARD",
        "LOLLIPOP LADY, CROSSING GUARD, QUEUE MARSHAL, TURNPIKE KEEPER, TRAFFIC WARDEN, SLOTH, "
        "DUCKLING WRANGLER, TEA LADY, LOCK KEEPER, METRONOME KEEPER",
    ),
    theme(
        "cache",
        "cache caching cached memoize memoization cdn prefetch recache redis",
        "STOCKED PANTRY, WARM BISCUITS, CHIPMUNK CHEEKS, FULL COOKIE JAR, LEFTOVER LASAGNA, "
        "REMEMBERED ACORNS, DEEP POCKETS, CELLAR SHELF, YESTERDAY'S SOUP, HIDDEN SNACKS, "
        "SECOND HELPING, PICKLE BARREL",
        "CHIPMUNK, PANTRY KEEPER, HAMSTER, LARDER MOUSE, ACORN ACCOUNTANT, MAGPIE, CELLAR MASTER, "
        "SNACK LIBRARIAN, JAM MAKER, DORMOUSE",
    ),
    theme(
        "encryption",
        "encrypt encryption encrypted decrypt crypto cryptography cipher tls ssl certificate "
        "secret secrets vault signing signature security hardening",
        "SEALED ENVELOPE, INVISIBLE INK, LEMON JUICE LETTER, SCRAMBLED EGGS, BURIED COOKIE TIN, "
        "WAX SEAL, PADLOCKED DIARY, MUMBLED RECIPE, DOUBLE-KNOTTED SHOELACE, HUSHED PARROT, "
        "FOLDED NAPKIN, SECRET SAUCE",
        "SPYGLASS PARROT, SEALING WAX CLERK, RIDDLE KEEPER, DIARY OWNER, ENVELOPE LICKER, OYSTER, "
        "CROSSWORD SETTER, VAULT MOUSE, CLOCKMAKER, CLAM",
    ),
    theme(
        "jobs",
        "job jobs worker workers queue background scheduler scheduling cron task+queue batch "
        "celery orchestration workflow workflows agent agents multi-agent",
        "MIDNIGHT BAKERY, CONVEYOR CUPCAKES, BUSY BEEHIVE, LAUNDRY CHUTE, ELVES AT THE BENCH, "
        "DAWN PORRIDGE, LANTERN ROSTER, SPINNING PLATES, ANT PARADE, NIGHT OWL UNION, "
        "HUNDRED TEASPOONS, SHOEMAKER'S ELVES",
        "BAKER, BEEKEEPER, LUNCH CARRIER, CHORE CHART GOBLIN, ANT FOREMAN, SHOEMAKER'S ELF, "
        "PLATE SPINNER, LAMPLIGHTER, BEAVER, STAGEHAND",
    ),
    theme(
        "sockets",
        "websocket websockets socket sockets realtime real+time streaming stream sse push pubsub "
        "webrtc sync synchronization live",
        "TIN CAN STRING, OPEN WINDOW, CHATTERING WIRES, WALKIE-TALKIE PICNIC, "
        "NEVERENDING PHONE CALL, HUMMING TELEPHONE POLE, SEMAPHORE SQUIRRELS, DINNER BELL, "
        "BUCKET BRIGADE, ECHOING CANYON, PAPER CUP HOTLINE, TWO-WAY YODEL",
        "SWITCHBOARD OPERATOR, YODELER, TOWN CRIER, SEMAPHORE SQUIRREL, LIGHTHOUSE KEEPER, "
        "CARRIER PIGEON, BELL RINGER, ECHO COLLECTOR, BUCKET PASSER, CRICKET",
    ),
    theme(
        "logging",
        "log logging logs telemetry tracing trace metric metrics observability instrumentation "
        "monitoring monitor alert alerting dashboard audit analytics",
        "DEAR DIARY, BREADCRUMB TRAIL, NOSY NEIGHBOUR, TALKING THERMOMETER, CAPTAIN'S NOTEBOOK, "
        "CURIOUS PERISCOPE, TATTLING WEATHERVANE, EAR TO THE GROUND, FOOTPRINTS IN FLOUR, "
        "SQUEAKY FLOORBOARD, KEYHOLE POEM, BAROMETER GOSSIP",
        "DIARIST, BIRDWATCHER, NEIGHBOUR, WEATHER FROG, COURT STENOGRAPHER, SHIP'S CLERK, "
        "CROW'S NEST LOOKOUT, BREADCRUMB DROPPER, GOSSIP COLUMNIST, MEERKAT",
    ),
    theme(
        "search",
        "search searching index indexing query elasticsearch fulltext ranking retrieval rag "
        "embedding embeddings recommendation discovery",
        "LOST SOCK, BLOODHOUND BOOKMARK, NEEDLE AND HAYSTACK, MAGNIFYING SPOON, TRUFFLE COMPASS, "
        "HIDE AND SEEK, LANTERN IN THE ATTIC, MISSING TEASPOON, KEEN NOSE, MOTH AND FLASHLIGHT, "
        "WHERE ARE MY GLASSES, CARD CATALOGUE TANGO",
        "TRUFFLE PIG, BLOODHOUND, LIBRARIAN, SOCK DETECTIVE, BEACHCOMBER, HAYSTACK EXPERT, "
        "GOLDEN RETRIEVER, MUSHROOM HUNTER, ATTIC EXPLORER, OTTER DETECTIVE",
    ),
    theme(
        "payments",
        "payment payments billing invoice invoices checkout subscription subscriptions pricing "
        "bank banking ledger finance financial accounting wallet tax stock stocks trading "
        "portfolio",
        "JINGLING POCKETS, PIGGY BANK CHOIR, EXACT CHANGE, COUNTED PENNIES, LEMONADE STAND, "
        "TIPPED HAT, PENNY FARTHING, HONEST ABACUS, PAPER ROUND, COINS IN THE COUCH, "
        "BALANCED TEACUPS, SWEET SHOP TILL",
        "LEMONADE SELLER, PENNY COUNTER, BOOKKEEPING BADGER, TOLL COLLECTOR, CASHIER, "
        "PIGGY BANKER, ABACUS TEACHER, MARKET TRADER, TREASURER, COIN-SORTING RAVEN",
    ),
    theme(
        "databases",
        "database databases db sql postgres postgresql mysql sqlite schema schemas table tables "
        "dacpac orm storage warehouse etl data dataset historical",
        "LABELLED DRAWERS, FILING CABINET TANGO, BOTTOMLESS DRAWER, ALPHABETICAL SPICES, "
        "ORDERLY ATTIC, BUTTON COLLECTION, MATCHING SOCKS, SQUIRRELLED SHELVES, "
        "PIGEONHOLE PARADE, TIDY SHOEBOX, HONEYCOMB LIBRARY, INVENTORY OF BUTTONS",
        "ARCHIVIST, FILING CLERK, BUTTON COLLECTOR, SPICE MERCHANT, DRAWER ORGANISER, "
        "CELLAR LIBRARIAN, HONEY BEE, STAMP COLLECTOR, MUSEUM MOLE, WAREHOUSE CAT",
    ),
    theme(
        "mail",
        "mail email emails smtp inbox newsletter notification notifications sms messaging "
        "reminder reminders",
        "PIGEON POST, LICKED STAMPS, OWL DELIVERY, MESSAGE IN A BOTTLE, RED LETTERBOX, "
        "STRING ON FINGER, SEVEN ENVELOPES, RETURN TO SENDER, PAPER PLANE, POSTCARD PARADE, "
        "RATTLING MAILBAG, HANDWRITTEN ENVELOPE",
        "POSTMAN, CARRIER PIGEON, STAMP LICKER, BICYCLE COURIER, MAILROOM CLERK, TELEGRAM RUNNER, "
        "LETTERBOX FOX, PENGUIN POSTMASTER, BELLHOP, POSTCARD WRITER",
    ),
    theme(
        "api",
        "api apis rest graphql grpc endpoint endpoints rpc gateway webhook webhooks sdk backend "
        "server fastapi microservice microservices service services middleware",
        "SERVING HATCH, SILVER TRAY, DIPLOMATIC TEACUP, EXPRESS DUMBWAITER, ROUND TABLE, "
        "OPEN COUNTER, PASS THE SALT, WELL-OILED HATCH, PLUG AND SAUCER, BRASS COUNTER BELL, "
        "HANDSHAKE BUFFET, ROOM SERVICE",
        "WAITER, INTERPRETER, HEAD WAITER, SHORT-ORDER COOK, DIPLOMAT, RECEPTIONIST, SOMMELIER, "
        "OCTOPUS BARTENDER, BREAKFAST CHEF, TEA BUTLER",
        weight=2,
    ),
    theme(
        "downloads",
        "download downloads downloader upload uploads transfer resumable bundle manifest fetch "
        "import export ingest ingestion file+transfer sideload",
        "RUNAWAY WHEELBARROW, GROCERY BAG MARATHON, LOADED TRICYCLE, WATERMELON RELAY, "
        "BALANCED BASKETS, BRIMMING BUCKET, CARRY ON LUGGAGE, HEAVY PICNIC, LEAPING WHEELBARROW, "
        "TOWED TREEHOUSE, FULL SHOPPING CART, TUGBOAT LULLABY",
        "TUGBOAT CAPTAIN, LONGSHOREMAN, GROCERY PORTER, MULE DRIVER, DUMPLING COURIER, STEVEDORE, "
        "PELICAN, CARGO BEAVER, PACK LLAMA, MILKMAN",
    ),
    theme(
        "cloud",
        "cloud deploy deployment deployments kubernetes k8s docker container containers terraform "
        "infrastructure infra hosting devops cluster provisioning serverless",
        "TETHERED CLOUD, CASTLE IN THE AIR, BALLOON BASKET, KITE SEASON, STACKED TEAPOTS, "
        "INFLATABLE HARBOUR, FLOATING BATHTUB, PAPER LANTERN LAUNCH, UMBRELLA FLEET, SKY HOOK, "
        "BOUNCY CASTLE, COTTON CANDY SCAFFOLD",
        "CLOUD SHEPHERD, BALLOONIST, KITE FLYER, HARBOUR MASTER, WEATHER JUGGLER, TENT PITCHER, "
        "STORK, UMBRELLA MENDER, SKY GARDENER, CRANE OPERATOR",
    ),
    theme(
        "networking",
        "network networking dns proxy proxies vpn firewall routing router http tcp udp p2p mesh "
        "bluetooth wifi ssh",
        "KNITTED BRIDGE, HAMMOCK CROSSROADS, SIGNPOST POLKA, STRING OF LANTERNS, "
        "SPIDERWEB ACADEMY, ROPE BRIDGE, ROUNDABOUT WALTZ, MOLE TUNNEL, STEPPING STONES, "
        "TANGLED YARN, FERRY TIMETABLE, BACK ALLEY SHORTCUT",
        "SPIDER, BRIDGE TROLL, MOLE, STATIONMASTER, SIGNPOST PAINTER, NET MENDER, FERRYMAN, "
        "TRAIN DISPATCHER, KNITTING GRANDMOTHER, MAP-READING SNAIL",
    ),
)
