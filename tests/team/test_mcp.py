"""`topkick mcp`, spoken to by the SDK's own client over standard input and output."""

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from topkick.team.bus.store import Bus

Said = Callable[..., Awaitable[Any]]


def talk(cwd: Path, story: Callable[[Client, Said], Awaitable[None]], *words: str) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "topkick", "mcp", *words], cwd=str(cwd)
    )

    async def whole() -> None:
        async with Client(parameters) as client:

            async def said(name: str, *, success: bool = True, **arguments: object) -> Any:
                result = await client.call_tool(name, arguments)
                (content,) = result.content
                answer = json.loads(content.text)
                assert answer["success"] is success, answer
                assert bool(result.is_error) is not success
                return answer["result"] if success else answer["error"]

            await story(client, said)

    anyio.run(whole)


@pytest.mark.spec("CK-22")
def test_an_agent_reports_and_reads(tmp_path: Path) -> None:
    async def story(client: Client, said: Said) -> None:
        offered = {tool.name: tool for tool in (await client.list_tools()).tools}
        operations = ["log", "broadcast", "read", "list", "status", "state", "delete", "clear"]
        assert set(offered) == {"team_msg", *(f"bus_{name}" for name in operations)}
        assert offered["bus_log"].input_schema["required"] == ["from"]
        data = {"status": "done", "n": [1, None]}
        posted = await said("bus_log", **{"from": "writer"}, type="state_update", data=data)
        assert posted["id"] == "MSG-001"
        await said("bus_broadcast", **{"from": "c"}, summary="to all")
        listed = await said("bus_list", **{"from": "writer"}, last=5)
        assert listed["total"] == 1
        assert (await said("bus_read", id="MSG-002"))["to"] == "all"
        assert (await said("bus_status"))["total_messages"] == 2
        assert (await said("bus_state", role="writer"))["state"]["n"] == [1, None]
        old = await said("team_msg", operation="get_state", session_id=tmp_path.name)
        assert list(old["role_state"]) == ["writer"]
        logged = await said("team_msg", operation="log", **{"from": "x"}, team="ignored")
        assert logged["id"] == "MSG-003"
        assert (await said("bus_delete", id="MSG-003"))["deleted"] == "MSG-003"
        assert (await said("bus_clear"))["cleared"] == 2

    talk(tmp_path, story, "--session", str(tmp_path))
    assert Bus(tmp_path).newest_number() == 3
    assert Bus(tmp_path).messages() == ()


@pytest.mark.spec("CK-22")
def test_mistakes_are_answers_and_end_nothing(tmp_path: Path) -> None:
    async def story(_: Client, said: Said) -> None:
        assert 'requires "from"' in await said("bus_log", success=False)
        assert "not found" in await said("bus_read", success=False, id="MSG-001")
        assert "takes no summery" in await said("bus_log", success=False, summery="x")
        assert '"last"' in await said("bus_list", success=False, last="many")
        assert '"last"' in await said("bus_list", success=False, last=1000)
        assert "must be an object" in await said(
            "bus_log", success=False, **{"from": "a"}, data="x"
        )
        assert "must be a text" in await said("bus_log", success=False, **{"from": 5})
        assert "Unknown tool" in await said("bus_dance", success=False)
        assert "Unknown operation" in await said("team_msg", success=False, operation="dance")
        other = await said("team_msg", success=False, operation="list", session_id="other")
        assert "only" in other
        assert (await said("bus_status"))["members"] == []

    talk(tmp_path, story, "--session", str(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spec("CK-22")
def test_without_a_session_each_call_names_one_below_the_directory(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".workflow" / ".team" / "night").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (project / "link").symlink_to(tmp_path / "outside")

    async def story(_: Client, said: Said) -> None:
        for name in ("night", ".workflow/.team/night"):
            await said("bus_log", session=name, **{"from": "a"})
        assert 'requires "session"' in await said("bus_list", success=False)
        for name in ("../outside", str(tmp_path / "outside"), "link", "none"):
            said_no = await said("bus_log", success=False, session=name, **{"from": "a"})
            assert "There is no session" in said_no

    talk(project, story)
    assert len(Bus(project / ".workflow" / ".team" / "night").messages()) == 2
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.spec("CK-22")
def test_without_the_sdk_it_says_what_to_install(tmp_path: Path) -> None:
    """As where the extra is not installed: the package cannot be found."""
    hide = "import sys; sys.modules['mcp'] = None; sys.argv = ['topkick', 'mcp'];"
    command = [sys.executable, "-c", f"{hide} from topkick.cli.main import main; main()"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert 'pip install "topkick[mcp]"' in done.stderr
