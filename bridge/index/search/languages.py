# ruff: noqa: RUF001 - the Cyrillic letters are meant
"""In which language a question is asked, and what follows: words that say nothing, and what a word is a form of.

The lists hold function words: articles, pronouns, prepositions, conjunctions, auxiliary verbs, and what questions begin
with. Published lists of stop words also hold nouns and verbs that people ask for (`fire`, `date`, `system`), and so are
of no use here.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

LEAST_NOTES = 2
"""Notes that must hold a language's commonest words before the vault counts as written in it."""
LEAST_OTHER = 2
"""Function words of another language than the vault's first that make a question one in that language."""
LONGEST_WORD = 64
"""Letters of a word from which it is no word of a language."""
LEAST_STEM = 4
"""Letters of a word's stem from which other words that begin so count as forms of it."""

Count = Callable[[str], int]
"""In how many notes a word is."""


class Language(NamedTuple):
    """A language.

    Attributes:
        name: As the stemmers call it.
        marks: Its commonest words, as far as hardly any other language has them.
        words: All its function words, without accents.
    """

    name: str
    marks: tuple[str, ...]
    words: frozenset[str]


class Languages:
    """The languages of one vault. Any thread may ask.

    Args:
        count: In how many notes a word is.
    """

    def __init__(self, count: Count) -> None:
        self._count = count
        self._lock = threading.Lock()
        self._found: tuple[int, tuple[Language, ...]] = (-1, ())

    def of(self, words: Collection[str], notes: int) -> Language | None:
        """Return the language of a question; None without a function word of a language that the vault uses.

        Args:
            words: The question's, folded, without accents.
            notes: How many there are in the vault: when there are twice as many, its languages are looked up again.
        """
        found: Language | None = None
        best = 0
        for place, language in enumerate(self._written(notes)):
            hits = sum(word in language.words for word in words)
            if hits > best and (place == 0 or hits >= LEAST_OTHER):
                found, best = language, hits
        return found

    def first(self, word: str, notes: int) -> Language:
        """Return the language in which most notes are written, of those with a word's letters if there are any.

        Args:
            word: Without accents.
            notes: See `of`.
        """
        written = self._written(notes)
        return next((each for each in written if each.marks[0].isascii() == word.isascii()), written[0])

    def _written(self, notes: int) -> Sequence[Language]:
        """Return the languages in which the vault is written, the commonest first."""
        size = notes.bit_length()
        with self._lock:
            if self._found[0] != size:
                counted = [(sorted(map(self._count, language.marks))[1], language) for language in LANGUAGES]
                counted.sort(key=lambda entry: -entry[0])
                self._found = size, tuple(language for count, language in counted if count >= LEAST_NOTES)
            return self._found[1] or LANGUAGES[:1]


@lru_cache(maxsize=4096)
def stem_of(word: str, language: Language) -> str:
    """Return the beginning shared by a word's forms: `sermon` for `sermons`, `translat` for `translator`.

    Args:
        word: Folded.
        language: Its language.

    Returns:
        The beginning of the word itself that its stem and it have in common; empty when that is too short to say
        anything.
    """
    if len(word) > LONGEST_WORD:
        return ""
    import snowballstemmer  # noqa: PLC0415 - a start is faster without

    stem: str = snowballstemmer.stemmer(language.name).stemWord(word)
    common = 0
    for own, its in zip(word, stem, strict=False):
        if own != its:
            break
        common += 1
    return word[:common] if common >= LEAST_STEM else ""


def _language(name: str, marks: str, words: str) -> Language:
    return Language(name, tuple(marks.split()), frozenset(_split((marks, words))))


def _split(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in text.split()]


LANGUAGES = (
    _language(
        "english",
        "the of and",
        "a about above after again against all also am an another any are as at be because been before being below "
        "between both but by can cannot could did do does doing done down during each either else ever every few "
        "for from further get gets got had has have having he her here hers herself him himself his how i if in "
        "into is it its itself just let like may me might mine more most much must my myself neither no nor not off "
        "on once only onto or other ought our ours ourselves out over own per quite rather same shall she should "
        "since so some such than that their theirs them themselves then there these they this those though through "
        "thus to too toward towards under until up upon us very via was we were what whatever when where whether "
        "which while who whoever whom whose why will with within without would yet you your yours yourself s t ll "
        "re ve don didn doesn isn aren wasn weren won couldn shouldn wouldn hasn haven hadn many become becomes "
        "became",
    ),
    _language(
        "german",
        "und nicht ist",
        "aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da "
        "dabei dadurch dafur dagegen daher damit danach dann daran darauf daraus darin daruber darum das dass davon "
        "davor dazu dein deine dem den denn der des deshalb dessen die dich dies diese diesem diesen dieser dieses "
        "dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer fur gegen gibt hab habe "
        "haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ja jede "
        "jedem jeden jeder jedes kann kein keine keinen konnen konnte man mehr mein meine meinem meinen meiner mich "
        "mir mit nach noch nur ob oder ohne schon sehr sein seine seinem seinen seiner sich sie sind so soll sollte "
        "sondern uber um uns unser unsere unter vom von vor wann war waren warum was weil welche welchem welchen "
        "welcher welches wem wen wenn wer werde werden weshalb wessen wie wieder will wir wird wo wohin woher womit "
        "wurde wurden zu zum zur zwischen",
    ),
    _language(
        "french",
        "les dans est",
        "a ai ainsi alors apres au aucun aussi autre autres aux avant avec avoir avait c car ce ceci cela celle "
        "celui ces cet cette ceux chaque chez comme comment contre d dans de depuis des donc dont du elle elles en "
        "encore entre es est et etaient etait ete etre eu fait faire fut il ils j je jusque l la le leur leurs lui "
        "m ma mais meme memes mes moi mon n ne ni nos notre nous on ont ou par parce pas pendant peut peu plus pour "
        "pourquoi pres puis qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si soi son sont "
        "sous sur t ta tes toi ton tous tout toute toutes tres tu un une vers vos votre vous y",
    ),
    _language(
        "spanish",
        "los las y",
        "a al algo alguno algunos ante antes aquel aquella asi aunque cada como con contra cual cuales cuando "
        "cuanto de del desde donde dos durante e el ella ellas ellos en entre era es esa ese eso esta estaba estan "
        "estar este estos esto fue fueron ha habia hace han hasta hay la le les lo mas me mi mientras mis mucho muy "
        "nada ni no nos nosotros nuestra nuestro o otra otro para pero poco por porque que quien quienes se sea "
        "segun ser si sido sin sobre son su sus tambien tan te tiene todo todos tu tus un una unas uno unos usted",
    ),
    _language(
        "italian",
        "della che gli",
        "a ad agli ai al alla alle allo anche ancora avere c chi ci come con contro cui d da dagli dai dal dalla "
        "dalle degli dei del dell delle dello dentro di dopo dove e ed egli era erano essere fra ha hanno ho i il "
        "in io la le lei li lo loro lui ma me mentre mi mia mio molto ne negli nei nel nella nelle nello noi non "
        "nostro o ogni per perche piu poi prima quale quali quando quanto quella quelle quello questa queste questo "
        "qui se sei si sia sono su sua sue sugli sui sul sulla suo suoi tra tu tutti tutto un una uno vi voi",
    ),
    _language(
        "portuguese",
        "nao uma dos",
        "a ainda ao aos apos aquela aquele as ate cada com como contra da das de dela dele depois desde do e ela "
        "elas ele eles em entre era es essa esse esta este eu foi foram ha isso isto ja la lhe mais mas me mesmo "
        "meu meus minha muito na nas nem no nos nossa nosso num numa o onde os ou para pela pelo por porque pouco "
        "qual quais quando quanto que quem se sem ser seu seus si sob sobre sua suas tambem te tem tinha todo todos "
        "tu um uns voce",
    ),
    _language(
        "dutch",
        "het een van",
        "aan al alle als bij daar dan dat de deze die dit door dus er ge geen had hadden heb hebben heeft hem hen "
        "hier hij hoe hun ik in is ja je jij jullie kan kon kunnen maar me meer men met mij mijn na naar niet nog "
        "nu of om onder ons onze ook op over te tegen toch toen tot uit u uw veel voor waar waarom wanneer waren "
        "was wat we wel welk welke werd wie wij wil worden wordt zal ze zich zij zijn zo zonder zou",
    ),
    _language(
        "swedish",
        "och att inte",
        "alla allt an av bara blev bli blir da de dem den denna deras dess det detta dig din dina du efter eller en "
        "er ett for fran ha hade han hans har hennes hon hur hos i in ingen innan ja jag kan kunde man med mellan "
        "men mig min mina mot mycket nagon nagot nar ni nu om oss over pa sa sedan sig sin sina sitt ska skulle som "
        "till under upp ut vad var vara vart varfor vem vi vid vilka vilken vilket vilja",
    ),
    _language(
        "danish",
        "og ikke af",
        "alle at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller en end "
        "er et for fra ha han hans har havde have hende hendes her hos hun hvad hvem hvilke hvilken hvilket hvis "
        "hvor hvordan hvorfor i ind jeg jer kan kunne man med meget men mig min mod ned noget nogle nu nar om op os "
        "over pa sa sig sin skal skulle som thi til ud under var vi vil ville vor vaere vaeret",
    ),
    _language(
        "norwegian",
        "og ikke av",
        "alle at ble bli blir da de deg dem den denne der deres det dette din disse du eller en er et etter for fra "
        "ha han hans har hadde henne her hos hun hva hvem hvilke hvilken hvilket hvis hvor hvordan hvorfor i inn "
        "jeg kan kunne man med meg meget men min mot na nar ned noe noen om opp oss over pa sa seg sin skal skulle "
        "som til ut under var vare vi vil ville",
    ),
    _language(
        "polish",
        "nie sie jest",
        "a aby albo ale ani az bardzo bez bo by byc byl byla bylo byly co czy czyli dla do gdy gdzie go i ich ile "
        "im inne ja jak jako je jego jej jednak jesli juz kiedy kto ktora ktore ktory ma mi mnie moj moze mozna mu "
        "my na nad nam nas nic niz o od on ona one oni oraz po pod poniewaz przed przez przy sa skad tak takze tam "
        "te tego tej ten to tu ty tylko tym u w was we wiec wszystko wy z za ze zeby",
    ),
    _language(
        "russian",
        "и не что",
        "а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее "
        "если есть еще же за здесь из или им их к как какая какие какой когда кого кто куда ли лишь между меня мне "
        "много мог может можно мои мой моя мы на над надо нам нас него нее нет ни них но ну о об однако он она они "
        "оно от очень по под после потому при про раз с сам свои свою себе себя сеичас со так также такои там тебя "
        "тем теперь то тогда того тоже только том тот ты у уже хотя чего чем через эта эти это этого этои этот я "
        "зачем почему",
    ),
)
