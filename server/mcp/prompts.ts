import type { Prompt } from './catalogue.ts';
import { badParams } from './protocol/fault.ts';
import type { JsonObject } from './protocol/message.ts';

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

interface PromptText {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** Text in which `{name}` is replaced by an argument; a line with a missing one is left out. */
  readonly text: string;
}

const workbook: PromptArgument = {
  name: 'workbook',
  description: 'Id or address of the workbook',
  required: true,
};

/** The prompts people choose from a menu: steps of a piece of work, for any model. */
const texts: readonly PromptText[] = [
  {
    name: 'review_merge',
    title: 'Review a merge',
    description: 'Looks at a merge as a careful reviewer, and says whether to complete it',
    arguments: [workbook, { name: 'merge_id', description: 'Id of the merge', required: true }],
    text: `Review the merge {merge_id} of the workbook {workbook}.
1. Call merge {"action":"show","diff":true}. Read its conflicts, its findings and the diff.
2. For each conflict say what base, ours and theirs hold, who wrote it, and which choice you
recommend and why. Use range_read with lens both where a formula is at stake.
3. Name effects that nobody edited: values that only the merge brings about, and new errors.
4. End with a verdict: complete, resolve first (with the resolutions as JSON), or abort. Do not
complete it before I say so.`,
  },
  {
    name: 'audit_formulas',
    title: 'Audit formulas',
    description: 'Looks for mistakes in the formulas of a sheet',
    arguments: [
      workbook,
      { name: 'sheet', description: 'Name of a sheet; all when left out', required: false },
    ],
    text: `Audit the formulas of the workbook {workbook}.
Look at the sheet {sheet} only.
1. Call workbook_describe, then range_read with lens both for each used range.
2. Look for errors, numbers written into formulas, ranges that stop short of the data, formulas
that differ from their neighbours, units that are mixed, and references to blank cells.
3. Try your suspicions with scenario_eval: change an input and see whether what should follow
does.
4. Answer a table: cell, formula, what is wrong, the formula you propose. Change nothing.`,
  },
  {
    name: 'import_and_reconcile',
    title: 'Import and reconcile',
    description: 'Brings rows into a table on a branch of their own, and explains every difference',
    arguments: [
      workbook,
      { name: 'table', description: 'Id or name of the table', required: true },
      { name: 'source', description: 'Where the new rows come from', required: false },
    ],
    text: `Bring new rows into the table {table} of the workbook {workbook}.
The rows come from: {source}
1. Call table_read for the columns and the key of the table. Ask me for the rows if you do not
have them.
2. Begin a branch: branch {"action":"create"}. Write there with table_write, mode upsert.
3. Call table_read with changes_from main: say which rows are new, which changed and how, and
which are missing in the source.
4. Propose the merge with merge {"action":"open"}, and summarise what a reviewer has to decide.`,
  },
  {
    name: 'explain_cell',
    title: 'Explain a cell',
    description: 'Says where the value of a cell comes from, and who wrote it',
    arguments: [workbook, { name: 'cell', description: 'Such as Plan!B7', required: true }],
    text: `Explain the cell {cell} of the workbook {workbook}.
1. Read it with range_read, lens both, and then the cells that its formula names, back to the
inputs.
2. Call history with cell for who wrote it, when, and the proof.
3. Answer in plain words: what it means, how it is computed, which inputs matter most (try two
with scenario_eval), and who is responsible for it.`,
  },
  {
    name: 'build_model',
    title: 'Build a model',
    description: 'Makes a workbook that computes something, with inputs, formulas and checks apart',
    arguments: [{ name: 'goal', description: 'What the model is to answer', required: true }],
    text: `Build a model in a new workbook: {goal}
1. Plan the sheets first: Inputs (every assumption named, with its unit), Calculation (formulas
alone, no numbers in them), Checks (each TRUE when all is well).
2. Make it with one workbook_create. Read what it answers: no cell may hold an error.
3. Try the extremes of each input with scenario_eval, and say what breaks.
4. Answer the address of the workbook, the main results, and which inputs they hang on.`,
  },
];

export const prompts: readonly Prompt[] = texts.map((one) => ({
  name: one.name,
  listed: {
    name: one.name,
    title: one.title,
    description: one.description,
    arguments: one.arguments,
  },
  get: (given) => ({ description: one.description, messages: [message(filled(one, given))] }),
}));

function filled({ name, arguments: known, text }: PromptText, given: JsonObject): string {
  for (const key of Object.keys(given)) {
    if (known.some((one) => one.name === key)) continue;
    throw badParams(`${name} takes ${known.map((one) => one.name).join(', ')}, and no "${key}".`);
  }
  for (const { name: key, required } of known) {
    const value = given[key];
    const isMissing = value === undefined || value === '';
    if (!isMissing && typeof value !== 'string') throw badParams(`"${key}" is a text.`);
    if (isMissing && required) throw badParams(`${name} needs "${key}".`);
  }
  const lines = text
    .split('\n')
    .filter((line) =>
      known.every(({ name: key }) => !line.includes(`{${key}}`) || Boolean(given[key])),
    );
  return lines.join('\n').replaceAll(/\{([a-z_]+)\}/g, (whole, key: string) => {
    return known.some((one) => one.name === key) ? String(given[key]) : whole;
  });
}

function message(text: string): JsonObject {
  return { role: 'user', content: { type: 'text', text } };
}
