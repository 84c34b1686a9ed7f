"""Pictures with text that is drawn with the font which comes with Pillow."""

import io

from PIL import Image, ImageDraw, ImageFont


def drawn(*lines: str, size: int = 32, turned: float = 0, colours: tuple[str, str] = ("black", "white")) -> bytes:
    """A picture as a PNG file.

    Args:
        lines: The text.
        size: Of the letters, in pixels.
        turned: Degrees, against the clock.
        colours: Of the text, and of the ground.
    """
    text, ground = colours
    font = ImageFont.load_default(size)
    picture = Image.new("RGB", (size * max(map(len, lines)), 2 * size * (len(lines) + 1)), ground)
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        draw.text((size, size * (2 * number + 1)), line, fill=text, font=font)
    body = io.BytesIO()
    picture.rotate(turned, expand=True, fillcolor=ground).save(body, "PNG")
    return body.getvalue()
