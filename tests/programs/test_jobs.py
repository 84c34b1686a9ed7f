"""The ten jobs of docs/performance.md, each done by one of the real programs, and seen in the vault's files."""

import pytest

from scripts.lib.replay_jobs import files_of, page_served, ten_jobs, write_notes
from tests.programs.conversation import find, ours
from tests.programs.desk import Desk
from tests.programs.programs import PROGRAMS, why_not
from tests.programs.test_work import served


@pytest.mark.parametrize("number", range(10))
async def test_a_program_does_the_job_with_the_tools_that_it_is_shown(desk: Desk, number: int) -> None:
    there = [program for program in PROGRAMS if not why_not(program)]
    if not there:
        pytest.skip(why_not(PROGRAMS[0]))
    program = there[number % len(there)]
    write_notes(desk.vault)
    async with page_served() as url, served(desk, program, enabledTools=["*"]) as person:
        person.answer = "allow_once"
        job = ten_jobs(url)[number]
        tools = {call.tool for call in job.calls}
        steps = [ours(call.tool, **call.arguments) for call in job.calls]
        ended = await desk.run(program, *([find(*sorted(tools))] if program.finds else []), *steps, "Done.")
    first = ended.turn(1 if program.finds else 0)
    assert tools <= set(first.ours), "it calls only what its model was shown"
    answers = [answer for turn in ended.turns for answer in turn.answers]
    assert not any(answer.failed for answer in answers), answers
    assert job.done(files_of(desk.vault)), [answer.text for answer in answers]
