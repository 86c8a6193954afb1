#!/bin/sh
# Drives sinew render: pictures, films, pictures in terminals.
# See drive.inc for what it is told by the environment.
# shellcheck source=tests/scripts/drive.inc
. "$(dirname -- "$0")/drive.inc"

cat >rope.json <<'END'
{
  "title": "A rope",
  "about": "for tests",
  "run": {"frames": 20},
  "world": {"substeps": 10},
  "objects": [{"type": "rope", "name": "rope", "length": 2, "segments": 10, "rods": true, "direction": [1, 0, 0],
               "pins": ["start"]}],
  "record": {"particles": ["rope.end"]}
}
END

# ---- render -------------------------------------------------------------------------------------------------------

# png FILE WIDTH HEIGHT: it is one, of that size.
png() {
    checks=$((checks + 1))
    head=$(od -An -v -tx1 -N 24 "$1" 2>/dev/null | tr -d ' \n')
    [ "$head" = "89504e470d0a1a0a0000000d49484452$(printf '%08x%08x' "$2" "$3")" ] || fail "$last: $1 is no PNG of $2 x $3"
}
expect 0 render rope.json --frames 4 --size 64x36
says '^rope.png: a picture of 64x36, 1 frame$'
png rope.png 64 36
cp rope.png first.png
expect 0 render rope.json --frames 4 --size 64x36 -q
silent
good 'another picture the second time' cmp -s rope.png first.png
expect 2 render rope.json --frame 5 --frames 4
expect 0 render rope.json --frame 6 --size 64x36 -q -o frame.png
expect 0 render rope.json --time 0.1 --size 64x36 -q -o time.png
good 'a time is not its frame' cmp -s frame.png time.png
expect 2 render rope.json --time 0.1 --frame 6
complains 'give one of them'
expect 2 render rope.json --time soon
complains "found 'soon', expected seconds"
expect 2 render rope.json --time 0.1 --frames 5
complains '\-\-time: frame 6 is asked for, and the last frame of rope is 5'
expect 3 render rope
complains "there is no scene 'rope'; did you mean the file 'rope.json'"
expect 0 render rope.json --frame 0 --size 64x36 -q -o start.png --dark --from=-1,0.2,0.1
good 'the same picture' sh -c '! cmp -s rope.png start.png'
expect 0 render rope.json --frames 6 --every 2 --size 64x36 -o rope.apng
says 'a film of 64x36, 4 frames'
png rope.apng 64 36
good 'no animation' grep -aq acTL rope.apng
expect 0 render rope.json --frames 6 --every 2 --size 64x36 -o rope.gif
says 'a film of 64x36, 4 frames'
good 'no GIF' sh -c '[ "$(od -An -c -N 6 rope.gif | tr -d " ")" = GIF89a ]'
expect 0 render rope.json --frames 6 --every 2 --size 64x36 -o rope.gif --still still.png
says '^still.png: a picture of 1280x720$'
png still.png 1280 720
expect 0 render rope.json --frames 6 --size 1280x720 -o straight.png -q
good 'a still has nothing in it' test "$(wc -c <still.png)" -gt 5000
expect 2 render rope.json --still still.png
complains '\-\-still goes with a film'
expect 2 render rope.json -o rope.gif --still still.jpg
complains '\-\-still: expected a name that ends with .png, found still.jpg'
expect 4 render rope.json --frames 2 --size 64x36 -o rope.gif --still nowhere/still.png
expect 2 render rope.json --every 1 -o rope.gif
complains 'a GIF shows at most 50 frames a second, and these are 60'
expect 0 render box_pile --frames 1 --size 48x27 -q -o pile.png
expect 2 render rope.json -o rope.jpg
complains 'expected a name that ends with .png'
expect 2 render rope.json --size 5x5
complains 'expected WIDTHxHEIGHT'
expect 2 render rope.json --from=0,0,0
complains 'three numbers that are not all 0'
expect 2 render rope.json -o rope.apng --frame 3
expect 2 render rope.json --every 2
expect 3 render missing.json
expect 4 render rope.json --frames 1 --size 64x36 -o nowhere/rope.png
good 'a file that is no picture' test ! -e nowhere
if [ -w /dev/full ]; then
    ln -sf /dev/full full.png
    expect 4 render rope.json --frames 1 --size 64x36 -o full.png
fi
mkdir -p no_path
PATH=$work/no_path "$program" render rope.json --frames 1 -o rope.webm >stdout 2>stderr
code=$?
last='sinew render without ffmpeg'
[ "$code" -eq 4 ] || fail "$last: exit code $code, expected 4"
complains 'needs ffmpeg, which is not here'

# ---- what a run wrote -------------------------------------------------------------------------------------------------

cat >both.json <<'END'
{
  "title": "A cloth, a ball and a ground",
  "run": {"frames": 12},
  "objects": [{"type": "cloth", "name": "sheet", "columns": 6, "rows": 6, "position": [0, 1, 0], "pins": ["top_left"]}],
  "bodies": [{"name": "ball", "shapes": {"type": "sphere", "radius": 0.2}, "position": [2, 1, 0]},
             {"name": "ground", "type": "static", "shapes": {"type": "plane"}}]
}
END
expect 0 render both.json --frame 12 --size 96x54 -q -o both.png
for format in pc2 obj ply; do
    expect 0 run both.json --out "both_$format" --format $format -q
    expect 0 render "both_$format" --size 96x54 -o "both_$format.png"
    says "^both_$format.png: a picture of 96x54, 1 frame\$"
    # The same sheet, ball and ground, by the same code: the same picture, to the bit.
    good "the picture of $format files is not that of the scene" cmp -s both.png "both_$format.png"
    expect 0 render "both_$format" --frame 0 --size 96x54 -q -o start.png
    good 'the start looks like the end' sh -c '! cmp -s start.png both.png'
done
expect 0 render both_pc2 --every 4 --size 64x36 -o both.gif
says 'a film of 64x36, 4 frames'
expect 0 render both_pc2/sheet.pc2 --size 64x36
says '^sheet.png: a picture of 64x36, 1 frame$'
expect 2 render both_pc2 --frame 13
complains '\-\-frame: frame 13 is asked for, and the last frame of both is 12'
expect 2 render both_pc2 --set world.substeps=3
complains '\-\-set changes a scene; both_pc2 has frames that were written already'
mkdir -p nothing
expect 3 render nothing
complains 'nothing: is a folder without a sinew-run.json; expected a scene, or a folder of'
expect 0 run both.json --out both_npy --format npy -q
expect 3 render both_npy
complains 'both_npy: has no files of the formats pc2, obj or ply'
cp -r both_pc2 broken
head -c 100 both_pc2/sheet.pc2 >broken/sheet.pc2
expect 3 render broken
complains 'broken/sheet.pc2'
cp both_pc2/sheet.pc2 broken/sheet.pc2
printf 'v 0 0 0\n' >broken/sheet.obj
expect 3 render broken
complains 'broken/sheet.pc2: has 36 points, and sheet.obj 1 vertices'
sed 's/"sheet"/"..\/both_pc2\/sheet"/' both_pc2/sinew-run.json >broken/sinew-run.json
expect 3 render broken
complains 'there is neither a .pc2 nor a .poses.npy of it'
printf '{"formats": ["pc2"], "names": []}' >broken/sinew-run.json
expect 3 render broken
complains 'sinew-run.json: names no objects'
printf '{"formats": ["pc2"], ' >broken/sinew-run.json
expect 3 render broken
complains 'broken/sinew-run.json: '

# ---- in a terminal ----------------------------------------------------------------------------------------------------

# A pipe is no terminal: nothing but the line about the file.
expect 0 render rope.json --frames 4 --size 64x36
good 'something else than a line' test "$(wc -l <stdout)" -eq 1
expect 2 render rope.json --show vt100
complains '\-\-show: expected auto, kitty, iterm, sixel or none, found vt100'
expect 0 render rope.json --frames 4 --size 64x36 --show none
good 'something else than a line' test "$(wc -l <stdout)" -eq 1
if command -v python3 >/dev/null && python3 -c '' 2>/dev/null; then
    for how in kitty iterm sixel; do
        expect 0 render rope.json --frames 4 --size 768x432 --show $how
        good "what $how shows is not the picture" python3 - $how rope.png stdout <<'END'
import base64, re, struct, sys, zlib

how, png, shown = sys.argv[1:]
png, shown = open(png, "rb").read(), open(shown, "rb").read()


def pixels(png):
    """Rows of a PNG of 8-bit RGB."""
    at, data = 8, b""
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at:at + 8])
        if name == b"IHDR":
            width, height = struct.unpack(">II", png[at + 8:at + 16])
        if name == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += 12 + length
    data, rows, last = zlib.decompress(data), [], bytearray(3 * width)
    for y in range(height):
        row = bytearray(data[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        kind = data[y * (3 * width + 1)]
        for i in range(len(row)):
            left, up = row[i - 3] if i > 2 else 0, last[i]
            corner = last[i - 3] if i > 2 else 0
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda v: (abs(guess - v), (left, up, corner).index(v)))
            row[i] = (row[i] + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
        rows.append(row)
        last = row
    return width, height, rows


if how == "kitty":
    parts = re.findall(rb"\x1b_G([^;]*);([^\x1b]*)\x1b\\", shown)
    assert parts[0][0].startswith(b"a=T,f=100") and all(len(text) <= 4096 for _, text in parts)
    assert all(b"m=1" in keys for keys, _ in parts[:-1]) and b"m=0" in parts[-1][0]
    assert base64.b64decode(b"".join(text for _, text in parts)) == png
elif how == "iterm":
    size, text = re.search(rb"\x1b\]1337;File=inline=1;size=(\d+);width=\d+:([^\x07]*)\x07", shown).groups()
    assert int(size) == len(png) and base64.b64decode(text) == png
else:
    body = re.search(rb"\x1bP0;1;0q(.*)\x1b\\", shown, re.S).group(1).decode()
    width, height = map(int, re.match(r'"1;1;(\d+);(\d+)', body).groups())
    assert (width, height) == (384, 216), (width, height)
    body = body[body.index("#"):]
    colours = {int(n): tuple(int(v) * 255 // 100 for v in rgb.split(";"))
               for n, rgb in re.findall(r"#(\d+);2;(\d+;\d+;\d+)", body)}
    body = re.sub(r"#\d+;2;\d+;\d+;\d+", "", body)
    seen, top, x, colour = {}, 0, 0, None
    for token in re.findall(r"#\d+|!\d+[?-~]|[?-~]|[$-]", body):
        if token[0] == "#":
            colour = colours[int(token[1:])]
        elif token == "$":
            x = 0
        elif token == "-":
            top, x = top + 6, 0
        else:
            count, sixel = (int(token[1:-1]), token[-1]) if token[0] == "!" else (1, token)
            for i in range(count):
                for k in range(6):
                    if ord(sixel) - 63 >> k & 1:
                        assert (x, top + k) not in seen, "a pixel has two colours"
                        seen[x, top + k] = colour
                x += 1
    assert len(seen) == width * height, "a pixel has no colour"
    wide, high, rows = pixels(png)
    for y in range(0, height - 8, 8):  # means over blocks are those of the picture
        for x in range(0, width - 8, 8):
            for k in range(3):
                a = sum(seen[x + i, y + j][k] for i in range(8) for j in range(8)) / 64
                b = sum(rows[2 * y + j][3 * (2 * x + i) + k] for i in range(16) for j in range(16)) / 256
                assert abs(a - b) < 16, (x, y, k, a, b)
END
    done
    # In terminals that say what they have: by a variable, or by an answer to the question what they are.
    good 'a terminal was misjudged' python3 - "$program" <<'END'
import os, pty, select, sys

cases = [({"KITTY_WINDOW_ID": "1"}, b"", b"\x1b_Ga=T"), ({"TERM_PROGRAM": "iTerm.app"}, b"", b"\x1b]1337;File="),
         ({}, b"\x1b[?62;4;22c", b"\x1bP0;1;0q"), ({}, b"\x1b[?62;22c", None), ({}, b"\x1b[?64c", None), ({}, b"", None),
         ({"TMUX": "x"}, b"\x1b[?62;4c", None), ({"TERM": "dumb"}, b"\x1b[?62;4c", None)]
for variables, answer, wanted in cases:
    child, master = pty.fork()
    if child == 0:
        clean = {k: v for k, v in os.environ.items() if k not in ("KITTY_WINDOW_ID", "TERM_PROGRAM", "LC_TERMINAL", "TMUX")}
        os.execve(sys.argv[1], [sys.argv[1], "render", "rope.json", "--frames", "1", "--size", "32x18"],
                  {**clean, "TERM": "xterm", **variables})
    said = b""
    while True:
        ready, _, _ = select.select([master], [], [], 20)
        assert ready, (variables, answer, "it hangs")
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        said += piece
        if piece.endswith(b"\x1b[c") and answer:
            os.write(master, answer)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, said
    assert b"rope.png: a picture" in said, said
    shown = any(mark in said for mark in (b"\x1b_G", b"\x1b]1337", b"\x1bP"))
    assert (wanted in said) if wanted else not shown, (variables, answer, said[:300])
END
fi

if [ $failed -gt 0 ]; then
    echo "render: $failed of $checks checks failed" >&2
    exit 1
fi
echo "render: $checks checks passed"
