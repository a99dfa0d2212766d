import re
from pathlib import Path

import pytest

from stoic_assets.adapters.disk.configuration_files import read_document, yaml_files
from stoic_assets.adapters.disk.job_files import load_corrections, load_job, load_jobs, readable_jobs, select_jobs
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import CypherSetup
from stoic_assets.core.virtues import VIRTUES

REPOSITORY = Path(__file__).parents[3]
MINIMUM = "target: {user: u, chatbot: c}\ntasks: [{task: Ask the time, acceptanceCriteria: The time is told}]\n"


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(MINIMUM + text, encoding="utf-8")
    return path


def test_the_readme_job_and_every_shipped_job_load() -> None:
    readme = load_job(REPOSITORY / "tests" / "jobs" / "embabel_readme.yml")
    assert (readme.name, len(readme.tasks), len(readme.assertions)) == ("embabel_readme", 2, 2)
    shipped = load_jobs(yaml_files(REPOSITORY / "eval_jobs"))
    assert len(shipped) >= 10
    assert all(Job.model_validate_json(job.model_dump_json(by_alias=True)).hash() == job.hash() for job in shipped)


def test_a_job_is_called_by_its_name_else_by_its_file(tmp_path: Path) -> None:
    assert load_job(write(tmp_path / "chat-1.yml")).name == "chat-1"
    assert load_job(write(tmp_path / "chat-1.yml", "name: other\n")).name == "other"


@pytest.mark.parametrize("name", ["my job", "../up", "a/b", ".hidden", "ümlaut", "x" * 101])
def test_a_name_must_be_safe_for_files(tmp_path: Path, name: str) -> None:
    complaint = r"chat\.yml:\d: name: .* is no name for files; give the job a name"
    with pytest.raises(DocumentError, match=complaint) as caught:
        load_job(write(tmp_path / "chat.yml", f"name: '{name}'\n"))
    better = re.search(r"such as `(name: .*)`$", str(caught.value))
    assert better
    assert load_job(write(tmp_path / "chat.yml", f"{better[1]}\n")).name


def test_the_stem_of_a_file_must_be_a_name_too(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"the file is called 'my job'; rename it, or .* such as `name: my-job`"):
        load_job(write(tmp_path / "my job.yml"))
    assert load_job(write(tmp_path / "my job.yml", "name: mine\n")).name == "mine"


def test_a_job_of_which_every_virtue_weighs_nothing_is_refused_to_its_author_alone(tmp_path: Path) -> None:
    text = "virtues:\n" + "".join(f"  {virtue}: 0\n" for virtue in VIRTUES)
    path = write(tmp_path / "chat.yml", text)
    line = path.read_text().splitlines().index("virtues:") + 1
    with pytest.raises(DocumentError, match=rf"chat\.yml:{line}: virtues: every virtue weighs 0; give one a weight"):
        load_job(path)
    assert load_job(write(tmp_path / "other.yml", text.replace(": 0", ": 1", 1))), "one that weighs is enough"
    stored = read_document(path, Job).model_dump_json(by_alias=True)
    assert set((Job.model_validate_json(stored).weights() or {}).values()) == {0.0}


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("virtues.justice", "virtues:\n  wisdom: 1.0e9\n  justice: {}\n"),
        ("assertions[1].weight", "assertions:\n  - expression: 'true'\n  - {{expression: 'true', weight: {}}}\n"),
    ],
)
def test_a_weight_too_large_to_average_is_refused_but_stays_readable(tmp_path: Path, key: str, text: str) -> None:
    path = write(tmp_path / "chat.yml", text.format("1.0e308"))
    for load in (load_job, lambda path: load_corrections([path])):
        with pytest.raises(DocumentError, match=rf"chat\.yml:5: {re.escape(key)}: a weight is at most 1,000,000,000;"):
            load(path)
    stored = read_document(path, Job)
    assert Job.model_validate_json(stored.model_dump_json(by_alias=True)) == stored
    assert load_job(write(path, text.format("1.0e9")))


@pytest.mark.parametrize("user", ["u-{trail}", "u-{ trial }", "{trial}-{session}", "u-{trial"])
def test_a_user_with_braces_for_nothing_holds_no_conversation_but_its_job_can_be_corrected(
    tmp_path: Path, user: str
) -> None:
    path = tmp_path / "chat.yml"
    path.write_text(f"tasks: [{{task: Ask, acceptanceCriteria: Told}}]\ntarget:\n  chatbot: c\n  user: '{user}'\n")
    with pytest.raises(DocumentError, match=r"chat\.yml:4: target\.user: only \{trial\} may be in braces"):
        load_job(path)
    assert [job.target.user for job in load_corrections([path])] == [user]
    path.write_text(path.read_text().replace(user, "u-{trial}"))
    assert load_job(path).has_own_users()


def test_a_parameter_that_nobody_fills_holds_no_conversation_but_its_job_can_be_corrected(tmp_path: Path) -> None:
    (tmp_path / "reset.cypher").write_text("MATCH (n {user: $user}) DELETE n;\nMATCH (n {t: $trail}) DELETE n")
    path = write(tmp_path / "chat.yml", "assertions:\n  - {cypher: 'RETURN $usr', expected: 1}\n")
    with pytest.raises(DocumentError, match=r"chat\.yml:4: assertions\[0\]\.cypher: unknown parameters: \$usr; known"):
        load_job(path)
    assert len(load_corrections([path])) == 1
    write(path, "setups:\n  - file: reset.cypher\n")
    with pytest.raises(DocumentError, match=r"chat\.yml:4: setups\[0\]: unknown parameters: \$trail; known here are"):
        load_job(path)


@pytest.mark.parametrize("second", ["name: One\n", "name: one\n"])
def test_two_jobs_of_one_name_are_refused(tmp_path: Path, second: str) -> None:
    first, other = write(tmp_path / "one.yml"), write(tmp_path / "two.yml", second)
    with pytest.raises(DocumentError, match=r"two\.yml: name: '[Oo]ne' is already the name of .*one\.yml"):
        load_jobs([first, other])
    for load in (load_jobs, load_corrections):
        with pytest.raises(DocumentError, match="is already the name of"):
            load([first, first])


def test_a_file_that_does_not_read_leaves_the_others(tmp_path: Path) -> None:
    (tmp_path / "bad.yml").write_text("taskz: []\n")
    paths = [tmp_path / "bad.yml", write(tmp_path / "one.yml"), write(tmp_path / "two.yml", "name: one\n")]
    jobs, complaints = readable_jobs(paths)
    assert [job.name for job in jobs] == ["one"]
    assert [str(complaint).partition(":")[0] for complaint in complaints] == [str(paths[0]), str(paths[2])]


def test_setup_files_and_templates_are_read_in_and_their_text_is_part_of_the_hash(tmp_path: Path) -> None:
    path = write(
        tmp_path / "job.yml",
        "setups: [{file: sub/reset.cypher}, {cypher: RETURN 1}]\nprompts: {wisdom: own.jinja}\n"
        "evaluator: {prompt: 'file:user.jinja'}\nscorer: {prompt: marks.jinja}\n",
    )
    (tmp_path / "sub").mkdir()
    reset = "MATCH (n {t: $trial}) DELETE n;"
    files = {"sub/reset.cypher": reset, "own.jinja": "w", "user.jinja": "u", "marks.jinja": "m"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    job = load_job(path)
    assert job.setups == (CypherSetup(cypher=reset), CypherSetup(cypher="RETURN 1"))
    assert job.prompts == {"wisdom": "w", "evaluator": "u", "tasks": "m"}
    assert job.is_isolated(), "by the Cypher of its setup file"
    for each in (path, *(tmp_path / name for name in files)):
        each.write_text(each.read_text(), encoding="utf-8-sig")
    assert load_job(path).hash() == job.hash(), "whatever editor wrote the files"

    hashes = {job.hash()}
    for name in files:
        (tmp_path / name).write_text("changed")
        hashes.add(load_job(path).hash())
    assert len(hashes) == 1 + len(files)


@pytest.mark.parametrize("form", ["{}", "{}.jinja", "classpath:/prompts/{}.jinja"])
def test_built_in_prompts_go_by_all_names_that_embabel_takes(tmp_path: Path, form: str) -> None:
    evaluator, scorer = form.format("eval/socrates"), form.format("eval/score")
    named = f"evaluator: {{prompt: '{evaluator}'}}\nscorer: {{prompt: '{scorer}'}}\n"
    assert load_job(write(tmp_path / "job.yml", named)).prompts == {}


@pytest.mark.parametrize("form", ["p/own", "p/own.jinja", "file:p/own"])
def test_own_prompts_go_by_their_names_with_and_without_suffix(tmp_path: Path, form: str) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "own.jinja").write_text("u")
    assert load_job(write(tmp_path / "job.yml", f"evaluator: {{prompt: '{form}'}}")).prompts == {"evaluator": "u"}


@pytest.mark.parametrize(("block", "prompt"), [("evaluator", "evaluator"), ("scorer", "tasks")])
def test_two_templates_for_the_same_are_refused_where_the_short_form_stands(
    tmp_path: Path, block: str, prompt: str
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jinja").write_text(name)
    path = write(tmp_path / "job.yml", f"prompts: {{{prompt}: a.jinja}}\n{block}:\n  prompt: b\n")
    with pytest.raises(DocumentError, match=rf"job\.yml:5: {block}\.prompt: `prompts\.{prompt}` names another"):
        load_job(path)
    for same in ("file:./a", "a.jinja", f"eval/{'socrates' if block == 'evaluator' else 'score'}"):
        write(path, f"prompts: {{{prompt}: a.jinja}}\n{block}: {{prompt: '{same}'}}\n")
        assert load_job(path).prompts == {prompt: "a"}


def test_headers_outlive_the_loading(tmp_path: Path) -> None:
    path = tmp_path / "job.yml"
    path.write_text(MINIMUM.replace("chatbot: c", "chatbot: c, headers: {X-Key: '${KEY}', X-Count: 5}"))
    assert load_job(path).target.headers == {"X-Key": "${KEY}", "X-Count": "5"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("prompts: {evaluator: judge.jinja}", r"judge\.jinja: unknown variables: tasks; known here are config, t"),
        ("scorer: {prompt: virtue.jinja}", r"virtue\.jinja: unknown variables: virtue; known here are facts, "),
        ("setups: [{file: none.cypher}]", r"job\.yml:3: setups\[0\]\.file: .*none\.cypher: there is no such file"),
        ("prompts: {tasks: none.jinja}", r"none\.jinja: there is no such file"),
        ("prompts: {tasks: broken.jinja}", r"broken\.jinja:2: not a valid template: "),
        ("prompts: {tasks: field.jinja}", r"field\.jinja: 'dict object' has no attribute 'acceptanceCriteria'"),
        ("prompts: {tasks: folder}", "folder: cannot be read: "),
        (r'setups: [{file: "setups\01.cypher"}]', r"job\.yml:3: setups\[0\]\.file: .*null byte"),
        (r'evaluator: {prompt: "own\0"}', r"job\.yml:3: evaluator\.prompt: .*null byte"),
    ],
)
def test_what_a_job_names_must_be_there_and_readable(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "broken.jinja").write_text("fine\n{% if %}")
    (tmp_path / "field.jinja").write_text("{{ tasks[0].acceptanceCriteria }}")
    (tmp_path / "judge.jinja").write_text("{{ tasks }}")
    (tmp_path / "virtue.jinja").write_text("{{ virtue }}")
    with pytest.raises(ConfigurationError, match=fault):
        load_job(write(tmp_path / "job.yml", text))


def test_jobs_are_chosen_by_name_or_tag(tmp_path: Path) -> None:
    tags = {"one": "[x]", "two": "[x, y]", "three": "[]"}
    jobs = load_jobs([write(tmp_path / f"{name}.yml", f"tags: {own}\n") for name, own in tags.items()])

    def chosen(names: list[str], tags: list[str]) -> list[str]:
        return [job.name for job in select_jobs(jobs, names, tags)]

    assert chosen([], []) == ["one", "two", "three"]
    assert chosen(["three"], ["y"]) == ["two", "three"]
    assert chosen([], ["x"]) == ["one", "two"]
    with pytest.raises(ConfigurationError, match="there is no job 'four'; known: one, three, two"):
        chosen(["four"], [])
    with pytest.raises(ConfigurationError, match="there is no tag 'z'; known: x, y"):
        chosen(["one"], ["z"])
