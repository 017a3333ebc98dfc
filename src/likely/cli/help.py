"""Help pages: a sentence, examples, details, then the options in groups."""

import inspect

import click

# In which group an option is listed; what is not named here is particular to a command.
_GROUPS = {
    "Data": (
        *("target", "multilabel", "label_separator", "text", "numeric", "categorical"),
        *("drop_column", "drop_label", "missing", "unlabeled", "unlabeled_weight", "plan_file"),
        *("encoding", "decimal"),
    ),
    "Text": (
        *("task", "word_ngrams", "char_ngrams", "negation", "stop_words", "stem", "tfidf"),
        *("surface_features", "lexicon"),
    ),
    "Model": (
        *("model", "plain", "stack_linear", "alpha", "m", "joint", "prior", "thresholds", "rules"),
    ),
    "Output": ("output", "report", "force", "threads", "as_json"),
}
_GROUP_OF = {name: group for group, names in _GROUPS.items() for name in names}

# Shorter lists of options need no groups.
_MOST_UNGROUPED = 16


class HelpPage(click.Command):
    """A command whose help shows examples before details, and many options in groups."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first sentence, the examples, and what else there is to know."""
        first, *others = inspect.cleandoc(self.help or "").split("\n\n")
        examples = [part for part in others if part.startswith("\b")]
        _write(formatter, first)
        if examples:
            with formatter.section("Examples"):
                for line in examples[0].split("\n")[1:]:
                    formatter.write(f"{line}\n")
        for part in others:
            if part not in examples:
                _write(formatter, part)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, in groups where there are many."""
        params = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        groups: dict[str, list[tuple[str, str]]] = {"Options": []}
        if len(params) > _MOST_UNGROUPED:
            groups |= {group: [] for group in _GROUPS}
        for param in params:
            group = (
                "Output" if "--help" in param.opts else _GROUP_OF.get(param.name or "", "Options")
            )
            record = param.get_help_record(ctx)
            if record is not None:
                groups[group if group in groups else "Options"].append(record)
        for group, records in groups.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)


def _write(formatter: click.HelpFormatter, paragraph: str) -> None:
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(paragraph)
