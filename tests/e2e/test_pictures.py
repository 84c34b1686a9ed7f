"""A picture in a served vault is shown to an agent over MCP after the person's yes, and a closed one never."""

import base64
import io
import json
from pathlib import Path

import pytest
from mcp_types import ImageContent, TextContent
from PIL import Image

from tests.mcp.pipes import serve_robot

pytestmark = pytest.mark.slow


async def test_a_picture_is_shown_and_a_closed_one_is_not(vault: Path) -> None:
    for name, colour in (("Cat.png", "red"), ("Private.png", "blue")):
        Image.new("RGB", (30, 20), colour).save(vault / name)
    (vault / ".vault-bridge").mkdir(exist_ok=True)
    (vault / ".vault-bridge" / "permissions.json").write_text('{"Private.png": "---"}', encoding="utf-8")
    async with serve_robot(vault) as served, served.connected("auto") as client:
        served.person.answer = "allow_once"
        shown = await client.call_tool("read", {"path": "Cat.png"})
        text, image = shown.content
        assert isinstance(text, TextContent)
        assert isinstance(image, ImageContent)
        assert "30 by 20 pixels" in text.text
        assert Image.open(io.BytesIO(base64.b64decode(image.data))).convert("RGB").getpixel((9, 9)) == (255, 0, 0)
        assert image.data not in json.dumps(shown.structured_content), "it is sent once"
        closed = await client.call_tool("read", {"path": "Private.png"})
        assert closed.is_error
        assert len(closed.content) == 1
