"""How what is kept stays within its budget: what matters least goes first."""

import logging
from collections.abc import Callable

from bridge.versions.database import Content, Database

logger = logging.getLogger(__name__)

MADE_SECONDS = 3600.0
"""How long versions of files that another program made are kept if anything else can go but what the person made."""

SAFE_SECONDS = 24 * 3600.0
"""How long the state before an entry is kept whatever the space, where it is the person's."""

SHORT = (
    "The space for earlier versions is used up (setting 'outsideVersionsMegabytes'), so of some files they are not kept"
)


class Room:
    """Makes room for bytes.

    Args:
        now: The time, in seconds since 1970.

    Attributes:
        short: Whether some bytes were not kept for want of it.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.short = False

    def keep(self, database: Database, content: Content) -> None:
        """Keep bytes, making room for them; where there is none, their hash alone is known."""
        size = len(content.data)
        if size > database.largest:
            return
        while not database.fits(size):
            if not self._let_something_go(database):
                if not self.short:
                    logger.warning("%s", SHORT)
                self.short = True
                return
        database.put_content(content)

    def resize(self, database: Database, megabytes: int) -> None:
        """Another budget: what is too much goes, and what is kept is made as small."""
        database.set_budget(megabytes)
        self.short = False
        while database.used > database.limit:
            with database.writing():  # one for each, as all of it goes through the log
                if not self._let_something_go(database):
                    self.short = True  # not even what the files are now fits: the largest go first
                    if not database.drop_largest():
                        break
        database.shrink()
        database.set_budget(megabytes)

    @staticmethod
    def clear(database: Database) -> None:
        """Let the bytes go that nothing refers to any more, and give the disk back what they took."""
        more = True
        while more:
            with database.writing():
                more = database.drop_some_unused()
        database.shrink()

    def look_again(self, database: Database) -> None:
        """After much has gone there may be room again."""
        self.short = self.short and not database.fits(database.largest)

    def _let_something_go(self, database: Database) -> bool:
        """Let one thing go, what matters least first; returns whether there was anything that may go."""
        now = self._now()
        return (
            database.drop_oldest(between=True, foreign=None, before=now + 1, most=1)
            or database.drop_oldest(between=False, foreign=True, before=now - MADE_SECONDS, most=1)
            or database.drop_afterwards()
            or database.drop_oldest_made(before=now - SAFE_SECONDS)
            or database.drop_oldest_made(before=now + 1)
            or database.drop_oldest(between=False, foreign=None, before=now - SAFE_SECONDS, most=1)
        )
