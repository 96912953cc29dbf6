import type { Context } from './context.ts';
import { questionOptions } from './table-options.ts';

/** An option of the command line. */
export interface Option {
  /** Name of the option's value; undefined for a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: true;
  readonly says: string;
}

export interface Command {
  readonly group: string;
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Arguments as the help shows them. */
  readonly arguments: string;
  readonly says: string;
  readonly options?: Readonly<Record<string, Option>>;
  readonly examples?: readonly string[];
  /** Loads the command's module and runs it; resolves with the exit code. */
  readonly run: (context: Context) => Promise<number>;
}

const name = { value: 'name', says: 'What the agent is called' } as const;
const code = { value: 'code', says: 'The code that came by mail' } as const;
const where = 'Where to; standard output when left out';
const output = { value: 'file', short: 'o', says: where } as const;

/** Long because it is the one table: help, completion and dispatch come from it. */
export const commands: readonly Command[] = [
  {
    group: 'Start',
    name: 'login',
    arguments: '[--browser | --anonymous | --email <address> | --with-key]',
    says: 'Get a credential, and keep it',
    options: {
      browser: { says: 'Sign in as a person (OAuth); in a terminal the way that is taken unasked' },
      anonymous: { says: 'Register an agent; no human is needed' },
      email: { value: 'address', says: 'Sign in with a code that is sent there' },
      'with-key': { says: 'Take a key from standard input' },
      name,
      code,
    },
    examples: ['quire login --anonymous --url http://127.0.0.1:8080'],
    run: async (context) => (await import('./sign-in.ts')).login(context),
  },
  {
    group: 'Start',
    name: 'claim',
    arguments: '<email> [--link]',
    says: "Put this agent under a person's account, with a code by mail",
    options: { link: { says: 'The agent keeps its own identity' }, code },
    run: async (context) => (await import('./sign-in.ts')).claim(context),
  },
  {
    group: 'Start',
    name: 'whoami',
    arguments: '',
    says: 'Whose credential is used, and where',
    options: { 'show-key': { says: 'Print the key, too' } },
    run: async (context) => (await import('./sign-in.ts')).whoami(context),
  },
  {
    group: 'Start',
    name: 'logout',
    arguments: '',
    says: 'Revoke the credential, and forget it',
    run: async (context) => (await import('./sign-in.ts')).logout(context),
  },
  {
    group: 'Start',
    name: 'usage',
    arguments: '',
    says: 'What is used this month',
    run: async (context) => (await import('./sign-in.ts')).usage(context),
  },
  {
    group: 'Workbooks',
    name: 'ls',
    arguments: '[--archived]',
    says: 'List workbooks',
    options: { archived: { says: 'Those that are archived, too' } },
    run: async (context) => (await import('./workbooks.ts')).list(context),
  },
  {
    group: 'Workbooks',
    name: 'new',
    aliases: ['import'],
    arguments: '[<name>] [--from <file>]',
    says: 'Create one, empty or from an .xlsx, .csv or .json file',
    options: { from: { value: 'file', says: 'The file; "-" reads standard input' } },
    examples: ['quire new plan --from plan.xlsx'],
    run: async (context) => (await import('./workbooks.ts')).create(context),
  },
  {
    group: 'Workbooks',
    name: 'export',
    arguments: '<book>[@<branch>] [-o <file>]',
    says: 'Write xlsx, csv, ndjson or json, by the ending of the file',
    options: {
      output,
      format: { value: 'format', says: 'xlsx, csv, ndjson or json, whatever the ending' },
      sheet: { value: 'name', says: 'The sheet of a csv; the first one when left out' },
    },
    run: async (context) => (await import('./workbooks.ts')).exportFile(context),
  },
  {
    group: 'Workbooks',
    name: 'archive',
    arguments: '<book>',
    says: 'Put a workbook away; nothing is lost',
    run: async (context) => (await import('./workbooks.ts')).archive(context),
  },
  {
    group: 'Workbooks',
    name: 'restore',
    arguments: '<book>',
    says: 'Bring an archived workbook back',
    run: async (context) => (await import('./workbooks.ts')).restore(context),
  },
  {
    group: 'Workbooks',
    name: 'purge',
    arguments: '<book>',
    says: 'Delete a workbook for ever',
    run: async (context) => (await import('./workbooks.ts')).purge(context),
  },
  {
    group: 'Cells',
    name: 'get',
    arguments: '<book>[@<ref>] <range>',
    says: 'Print a range',
    options: {
      lens: { value: 'lens', says: 'value, formula, input or formatted' },
      tsv: { says: 'Fields with tabs between them, as in a pipe' },
      csv: { says: 'Fields with commas between them' },
    },
    examples: ["quire get wb_… 'Plan!A1:C9'", 'quire get ada/plan@main@42 A1 --json'],
    run: async (context) => (await import('./cells.ts')).get(context),
  },
  {
    group: 'Cells',
    name: 'set',
    arguments: '<book>[@<branch>] <range> <input>...',
    says: 'Write cells ("-" reads TSV), and say what that brought about',
    options: { raw: { says: 'Inputs are texts; else they are read as a person types them' } },
    examples: ["quire set wb_… 'Plan!B1' 3", "quire set wb_… 'Plan!C1:C9' '=B1*2'"],
    run: async (context) => (await import('./cells.ts')).set(context),
  },
  {
    group: 'Cells',
    name: 'find',
    arguments: '<book>[@<ref>] <text>',
    says: 'Search cells for a text',
    options: {
      lens: { value: 'lens', says: 'value, formula or input' },
      sheet: { value: 'name', says: 'In this sheet only' },
      match: { value: 'how', says: 'contains, whole or starts' },
      case: { says: 'A and a are different' },
      number: { value: 'n', short: 'n', says: 'End after so many cells; 1000 when left out' },
    },
    examples: ['quire find wb_… tea', "quire find wb_…@main@42 'SUM(' --lens formula"],
    run: async (context) => (await import('./search.ts')).find(context),
  },
  {
    group: 'Cells',
    name: 'edge',
    arguments: '<book>[@<ref>] <cell> up|down|left|right',
    says: 'Say where the filled cells end, or begin',
    examples: ["quire edge wb_… 'Plan!A1' down"],
    run: async (context) => (await import('./search.ts')).edge(context),
  },
  {
    group: 'Cells',
    name: 'scenario',
    aliases: ['what-if'],
    arguments: '<book>[@<ref>] [<cell>=<input>]...',
    says: 'Say what inputs would lead to, and what formulas come to; nothing is written',
    options: {
      formula: { value: 'formula', short: 'f', multiple: true, says: 'Calculate it afterwards' },
      sheet: { value: 'name', says: 'Sheet whose cells the formulas name; the first one' },
      read: { value: 'range', multiple: true, says: 'Print it as it would be' },
    },
    examples: ["quire scenario wb_… 'Plan!B1=3' -f '=SUM(C1:C9)'"],
    run: async (context) => (await import('./scenario.ts')).scenario(context),
  },
  {
    group: 'Cells',
    name: 'ops',
    arguments: '<book>[@<branch>] [<file>]',
    says: 'Submit operations, as JSON or an operation a line',
    run: async (context) => (await import('./cells.ts')).submit(context),
  },
  {
    group: 'Cells',
    name: 'watch',
    arguments: '<book>[@<branch>] [<range>]',
    says: 'Follow changes as they happen',
    options: { count: { value: 'n', says: 'End after so many operations' } },
    run: async (context) => (await import('./watch.ts')).watch(context),
  },
  {
    group: 'History',
    name: 'log',
    aliases: ['history'],
    arguments: '<book>[@<ref>] [--cell <a1>]',
    says: 'What happened, newest first; who wrote a cell',
    options: {
      cell: { value: 'range', says: 'Who wrote these cells' },
      number: { value: 'n', short: 'n', says: 'So many operations; 20 when left out' },
    },
    run: async (context) => (await import('./history.ts')).log(context),
  },
  {
    group: 'History',
    name: 'branch',
    aliases: ['fork', 'branches'],
    arguments: '<book> [<name>] [--from <ref>] [-d]',
    says: 'List, begin or delete branches',
    options: {
      from: { value: 'ref', says: 'Where it begins; the head of main when left out' },
      delete: { short: 'd', says: 'Delete it' },
    },
    run: async (context) => (await import('./history.ts')).branch(context),
  },
  {
    group: 'History',
    name: 'commit',
    arguments: '<book>[@<branch>] [-m <message>] [--tag <tag>]',
    says: 'Name the position that a branch is at',
    options: {
      message: { value: 'text', short: 'm', says: 'What it is' },
      tag: { value: 'tag', says: 'So that commit:<tag> names it' },
    },
    run: async (context) => (await import('./history.ts')).commit(context),
  },
  {
    group: 'History',
    name: 'checkpoint',
    arguments: '<book>[@<branch>]',
    says: 'Store the state of a branch',
    run: async (context) => (await import('./history.ts')).checkpoint(context),
  },
  {
    group: 'History',
    name: 'diff',
    arguments: '<book> <from> [<to>]',
    says: 'Compare two positions',
    options: {
      values: { says: 'Cells that show something else, too' },
      sheet: { value: 'name', says: 'Of this sheet' },
      stat: { says: 'How much of what' },
      patch: { says: 'As a patch, for reading' },
      csv: { says: 'As a table' },
      'exit-code': { says: 'End with 3 if anything differs' },
    },
    run: async (context) => (await import('./history.ts')).diff(context),
  },
  {
    group: 'History',
    name: 'merge',
    arguments: '<book> <branch | mrg_…> [--into <branch>]',
    says: 'Propose, review and apply a merge',
    options: {
      into: { value: 'branch', says: 'The target; main when left out' },
      ours: { says: 'What the target has counts, in all conflicts' },
      theirs: { says: 'What the source has counts' },
      choose: { value: 'id=choice', multiple: true, says: 'Decide one conflict' },
      from: { value: 'file', says: 'Decisions as JSON: {"<id>": "theirs"}' },
      approve: { says: 'Apply it once nothing is open' },
      abort: { says: 'Give it up' },
      'dry-run': { says: 'Only say what it would come to' },
    },
    examples: ['quire merge wb_… q3 --theirs --approve'],
    run: async (context) => (await import('./merge.ts')).merge(context),
  },
  {
    group: 'History',
    name: 'undo',
    arguments: '<book>[@<branch>] <seq | group>',
    says: 'Take back an operation, or a group of them',
    run: async (context) => (await import('./history.ts')).undo(context),
  },
  {
    group: 'Tables',
    name: 'table',
    arguments: '<book>[@<ref>] [<table> [import|upsert|delete|changes] [<file>]]',
    says: 'List tables, print rows, write them from JSON, or say what changed',
    options: { ...questionOptions, from: { value: 'ref', says: 'Of changes: the older position' } },
    examples: [
      "quire table wb_… Sales --where '[@Price]>AVERAGE([Price])' --order=-Price -n 10",
      'quire table wb_… Sales --group Region --sum Price --count',
    ],
    run: async (context) => (await import('./tables.ts')).table(context),
  },
  {
    group: 'Tables',
    name: 'match',
    arguments: '<book>[@<ref>] [<table.column> <table.column> | mat_…]',
    says: 'Find rows that mean the same; decide about pairs, and write them',
    options: {
      decision: { value: 'word', says: 'Only rows of accept, review or reject' },
      review: { says: 'In a terminal: go through the pairs that wait for a person' },
      accept: { value: 'left=right', multiple: true, says: 'Decide; "all" that wait' },
      reject: { value: 'left=right', multiple: true, says: 'Decide; "all" that wait' },
      apply: { value: 'form', says: 'Write the accepted pairs, as table or column' },
      name: { value: 'name', says: 'Of the table or column' },
      cancel: { says: 'End it while it runs' },
      hi: { value: 'n', says: 'Cosine from which a pair is accepted' },
      lo: { value: 'n', says: 'Cosine below which a pair is rejected' },
      provider: { value: 'name', says: 'Makes the vectors' },
      'verify-provider': { value: 'name', says: 'Decides between lo and hi; none: a person' },
      'no-wait': { says: 'Print the id, and do not wait for the end' },
    },
    examples: [
      'quire match ada/plan Orders.Customer Customers.Name',
      'quire match ada/plan mat_… --accept all --apply table --name Pairs',
    ],
    run: async (context) => (await import('./match.ts')).match(context),
  },
  {
    group: 'Proof',
    name: 'proof',
    arguments: '<book>@<branch>@<seq> [-o <file>]',
    says: 'The proof that an operation is in the public log',
    options: { output },
    run: async (context) => (await import('./proofs.ts')).proof(context),
  },
  {
    group: 'Proof',
    name: 'policy',
    arguments: '[-o <file>]',
    says: 'The keys of the log: compare them, and keep them',
    options: { output },
    run: async (context) => (await import('./proofs.ts')).policy(context),
  },
  {
    group: 'Proof',
    name: 'verify',
    arguments: '<file.tlog-proof | book>',
    says: 'Check a proof without the service, or all that is stored',
    options: { policy: { value: 'file', says: 'Whom to trust' } },
    run: async (context) => (await import('./proofs.ts')).verify(context),
  },
  {
    group: 'Service',
    name: 'serve',
    arguments: '[--port <n>] [--data <folder>]',
    says: 'Run the service',
    options: {
      port: { value: 'n', says: 'Default 8080' },
      data: { value: 'folder', says: 'Default ./data' },
    },
    run: async (context) => (await import('./service.ts')).serve(context),
  },
  {
    group: 'Service',
    name: 'mcp',
    arguments: '',
    says: 'Speak MCP on standard input and output, for clients that start programs',
    examples: ['claude mcp add quire -- npx quire mcp'],
    run: async (context) => (await import('./mcp.ts')).mcp(context),
  },
  {
    group: 'Service',
    name: 'open',
    arguments: '[<book>[@<ref>] [<range> | mrg_… | mat_…]]',
    says: 'Open the console at a workbook, a cell, a merge or a match; print where that is',
    run: async (context) => (await import('./open.ts')).open(context),
  },
  {
    group: 'Service',
    name: 'completion',
    arguments: 'bash|zsh|fish',
    says: 'Print what completes commands in a shell',
    run: async (context) => (await import('./completion.ts')).completion(context),
  },
];

export const everywhere: Readonly<Record<string, Option>> = {
  json: { says: 'One JSON value; lists an item a line' },
  url: { value: 'address', says: 'The service; QUIRE_URL, or http://127.0.0.1:8080' },
  profile: { value: 'name', says: 'Which credential; QUIRE_PROFILE, or default' },
  branch: { value: 'branch', says: 'Where a workbook names none; main' },
  quiet: { short: 'q', says: 'No notes' },
  verbose: { short: 'v', says: 'More about what fails' },
  'no-color': { says: 'No colours' },
  'no-retry': { says: 'Do not repeat what may pass' },
  yes: { short: 'y', says: 'Do not ask' },
  help: { short: 'h', says: 'This' },
  version: { says: 'The version' },
};

export function findCommand(word: string): Command | undefined {
  return commands.find((one) => one.name === word || one.aliases?.includes(word));
}
