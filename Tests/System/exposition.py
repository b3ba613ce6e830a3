"""A strict reader of Prometheus' text exposition format, version 0.0.4, as its specification has it."""

import math
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")
KINDS = {"counter", "gauge", "summary", "histogram", "untyped"}
SUFFIXES = {"summary": ("", "_sum", "_count"), "histogram": ("_bucket", "_sum", "_count")}


def read(text):
    """The samples as (name, labels) and value; ValueError with the line for what is not allowed."""
    if not text.endswith("\n"):
        raise ValueError("no end of line at the end")
    samples, kinds, helped, ended = {}, {}, set(), set()
    current = None
    for number, line in enumerate(text[:-1].split("\n"), 1):
        def check(good, why):
            if not good:
                raise ValueError(f"line {number}: {why}: {line!r}")

        if line.startswith("#"):
            comment = re.fullmatch(rf"# (HELP|TYPE) ({NAME}) (.+)", line)
            check(comment, "neither HELP nor TYPE")
            word, name, rest = comment.groups()
            check(name not in ended, "a metric's lines must stand together")
            if name != current:
                ended.add(current)
                current = name
            if word == "HELP":
                check(name not in helped, "a second HELP")
                helped.add(name)
            else:
                check(name not in kinds, "a second TYPE")
                check(rest in KINDS, "no such type")
                kinds[name] = rest
            continue
        sample = SAMPLE.fullmatch(line)
        check(sample, "no sample")
        name, labels, value = sample.groups()
        kind = kinds.get(current)
        check(kind and current in helped, "a sample without HELP and TYPE")
        check(name in [current + end for end in SUFFIXES.get(kind, ("",))], "another metric's sample")
        check((name, labels) not in samples, "a second sample with these labels")
        number_value = float(value.replace("+Inf", "inf").replace("-Inf", "-inf"))
        if kind == "counter":
            check(name.endswith("_total"), "a counter's name ends in _total")
            check(number_value >= 0 and math.isfinite(number_value), "no count")
        samples[name, labels] = number_value
    return samples
