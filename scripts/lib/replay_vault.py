"""The vault of the replay: the sample vault, with what a few months of everyday use would have put beside it.

Written the same every time, so that figures of different versions can be compared.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from scripts.lib.environment import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE = ROOT / "scripts" / "sample-vault"

_BOOKS = (
    ("Flatland", "Edwin A. Abbott", 1884, "read", "geometry"),
    ("Middlemarch", "George Eliot", 1871, "reading", "novel"),
    ("Walden", "Henry David Thoreau", 1854, "read", "nature"),
    ("The Time Machine", "H. G. Wells", 1895, "read", "science-fiction"),
    ("Frankenstein", "Mary Shelley", 1818, "read", "science-fiction"),
    ("The Summer Book", "Tove Jansson", 1972, "unread", "novel"),
    ("Invisible Cities", "Italo Calvino", 1972, "unread", "novel"),
    ("Solaris", "Stanislaw Lem", 1961, "reading", "science-fiction"),
    ("Kindred", "Octavia E. Butler", 1979, "unread", "science-fiction"),
    ("Silent Spring", "Rachel Carson", 1962, "unread", "nature"),
    ("On the Origin of Species", "Charles Darwin", 1859, "reading", "nature"),
    ("The Elements", "Euclid", 1482, "unread", "geometry"),
    ("Persuasion", "Jane Austen", 1817, "read", "novel"),
    ("Jane Eyre", "Charlotte Bronte", 1847, "read", "novel"),
    ("Moby-Dick", "Herman Melville", 1851, "unread", "novel"),
    ("The Moonstone", "Wilkie Collins", 1868, "unread", "crime"),
    ("The Woman in White", "Wilkie Collins", 1859, "read", "crime"),
    ("A Study in Scarlet", "Arthur Conan Doyle", 1887, "read", "crime"),
    ("Dracula", "Bram Stoker", 1897, "unread", "novel"),
    ("Candide", "Voltaire", 1759, "read", "philosophy"),
    ("Meditations", "Marcus Aurelius", 1559, "reading", "philosophy"),
    ("Essays", "Michel de Montaigne", 1580, "reading", "philosophy"),
    ("Utopia", "Thomas More", 1516, "unread", "philosophy"),
    ("The Voyage of the Beagle", "Charles Darwin", 1839, "read", "nature"),
)
"""Title, author, year, status, tag."""

_DAYS = (
    "Read two chapters of [[Middlemarch]] on the train.",
    "Fed the starter for the [[Sourdough bread]], and forgot the salt.",
    "Ben can host the [[Book club]] in April.",
    "The first seeds came up. [[Balcony garden]] needs a watering plan.",
    "Called Anna about the budget of the [[Reading room]].",
    "Rain all day. Sorted the notes about [[Solaris]].",
    "Bought plums for the [[Plum jam]], and a new lid for the pot.",
    "[[Meeting with the library]] went well; the shelves arrive in May.",
    "Nothing to report, and an early night.",
    "Found the leak in the can. See [[Watering]].",
    "Started [[Meditations]] again; ten pages a day.",
    "Long talk with Clara about the [[Walking trip]].",
)
"""The events of the days, from 2025-03-16 on."""

_NOTES = {
    "Projects/Reading room.md": """---
status: active
started: 2025-02-11
tags: [library, spring]
---
# Reading room

The library lends us the back room on two evenings a week. We furnish it, and we keep it open.

## Budget

The town pays for the shelves and for half of the lamps. The rest is ours: chairs, a carpet, and tea.

## Next

- [ ] Measure the window
- [ ] Ask Anna about the lamps
- [x] Sign the agreement with the library
""",
    "Projects/Walking trip.md": """---
status: planned
started: 2025-03-02
tags: [travel]
---
# Walking trip

Six days along the coast in September, with Clara and Ben. We carry little and sleep in inns.

## Route

From the lighthouse to the harbour, about fifteen kilometres a day. The third day is the steepest.

## To pack

- [ ] Boots that are walked in
- [ ] A map on paper
- [ ] [[The Summer Book]]
""",
    "Projects/New bicycle.md": """---
status: planned
tags: [shopping]
---
# New bicycle

The old one has rust in places where rust is dangerous. Three shops were asked, one has answered.
""",
    "Meetings/Meeting with the library.md": """---
date: 2025-03-23
tags: [meeting, library]
---
# Meeting with the library

Present: Anna, Ben, Mrs Okafor of the library.

## Decisions

The room opens on the first of June. Mrs Okafor orders the shelves, and we paint the wall before they arrive.

## Open

Who has the second key is still undecided. See [[Reading room]].
""",
    "Meetings/Meeting about the trip.md": """---
date: 2025-03-27
tags: [meeting, travel]
---
# Meeting about the trip

Clara knows the inns and writes to them. Ben looks after the trains. See [[Walking trip]].
""",
    "Meetings/Meeting of the book club.md": """---
date: 2025-03-27
tags: [meeting, reading]
---
# Meeting of the book club

We talked about [[Frankenstein]] and, as always, about its author. Next: [[The Left Hand of Darkness]].
""",
    "Inbox/Idea about bees.md": "# Idea about bees\n\nA box for wild bees on the balcony, next to the thyme.\n",
    "Inbox/Quote for later.md": "# Quote for later\n\nA room without books is a body without a soul. Who said it?\n",
    "Inbox/Untitled.md": "",
    "Inbox/Untitled 1.md": "\n",
    "Inbox/Shopping.md": "# Shopping\n\n- lamp oil\n- thyme\n- flour\n",
    "Inbox/Lamps.md": "# Lamps\n\nTwo standing ones and a green one for the desk. Anna knows a shop.\n",
}


def write_vault(folder: Path) -> Path:
    """Write the vault.

    Args:
        folder: Where to; it does not exist yet.
    """
    shutil.copytree(SAMPLE, folder)
    notes = dict(_NOTES)
    for title, author, year, status, tag in _BOOKS:
        notes[f"Books/{title}.md"] = (
            f"---\nauthor: {author}\nyear: {year}\nstatus: {status}\ntags: [book, {tag}]\n---\n# {title}\n\n"
            f"{title} is by {author} and came out in {year}.\n"
        )
    for number, happened in enumerate(_DAYS, start=16):
        notes[f"Daily/2025-03-{number}.md"] = f"# 2025-03-{number}\n\n{happened}\n"
    for path, text in notes.items():
        place = folder / path
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="\n")
    return folder
