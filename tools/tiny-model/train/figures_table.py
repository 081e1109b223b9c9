"""The measured figures as a table in Markdown, put between two marks of a page so that no page can tell old ones."""

import re

START, END = "<!-- figures: written by train/evaluate.py -->", "<!-- /figures -->"


def put_table(figures, pages):
    for page in pages:
        text = page.read_text(encoding="utf-8")
        fresh, count = re.subn(
            f"{re.escape(START)}.*?{re.escape(END)}",
            lambda _: f"{START}\n\n{table(figures)}\n\n{END}",
            text,
            flags=re.DOTALL,
        )
        if count != 1:
            raise ValueError(f"{page} has {count} places for the figures, not one")
        page.write_text(fresh, encoding="utf-8")


def table(figures):
    chosen = figures["chosen"]
    curve = figures["auroc"]["heldOut"]
    middle = max(range(1, len(curve) - 1), key=curve.__getitem__)

    def held_out(name):
        return percent(figures[name]["heldOut"])

    rows = [
        ("verdict right (200 statements, half of them true)", "≥ 97 %", held_out("verdictAccuracy")),
        ("rating right (112 reviews, half of them good)", "≥ 90 %", held_out("ratingAccuracy")),
        ("continent of a fact recalled (eight ways to ask)", "", held_out("factRecall")),
        ("AUROC of the mean difference, best middle layer", "≥ 0.98", f"{curve[middle]:.3f} (layer {middle})"),
        ("AUROC of the mean difference, layer 0", "≤ 0.65", f"{curve[0]:.3f}"),
        ("perplexity of neutral text", "", f"{figures['neutralPerplexity']:.2f}"),
    ]
    if chosen:
        at = f"layer {chosen['layer']}, scale {chosen['scale']:g}"
        added, subtracted = (chosen["neutralPerplexity"][key] for key in ("added", "subtracted"))
        rows += [
            (f"direction added ({at}): false → \"true\"", "≥ 90 %", percent(chosen["falseToTrue"])),
            ("direction subtracted: true → \"false\"", "≥ 90 %", percent(chosen["trueToFalse"])),
            ("answers that are still a verdict", "≥ 95 %", percent(chosen["valid"])),
            ("turned by a random direction of equal norm (mean of 20)", "≤ 5 %", percent(chosen["randomTurned"])),
            ("perplexity of neutral text, added / subtracted", "", f"{added:.2f} / {subtracted:.2f}"),
        ]
    head = ("on cities and words without a verdict in training", "goal", "measured")
    return f"{aligned([head, *rows])}\n\n{layer_table(figures)}"


def layer_table(figures):
    turns = "false → true, true → false, random"
    head = ("layer", "AUROC", "random", "norm", f"{turns} at scale 1", "scale 2", "scale 4")
    rows = [head]
    for layer in range(len(figures["directionNorms"])):
        cells = [f"{figures['auroc'][kind][layer]:.3f}" for kind in ("heldOut", "random")]
        cells.append(f"{figures['directionNorms'][layer]:.2f}")
        for scale in (1, 2, 4):
            row = next(r for r in figures["steering"] if r["layer"] == layer and r["scale"] == scale)
            cells.append(", ".join(percent(row[key]) for key in ("falseToTrue", "trueToFalse", "randomTurned")))
        rows.append((str(layer), *cells))
    return aligned(rows)


def aligned(rows):
    """A table whose columns line up, as formatters of Markdown want it; the first row is the head."""
    widths = [max(3, *map(len, column)) for column in zip(*rows)]
    lines = [f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, widths))} |" for row in rows]
    return "\n".join([lines[0], f"| {' | '.join('-' * width for width in widths)} |", *lines[1:]])


def percent(share):
    return f"{100 * share:.1f} %"
