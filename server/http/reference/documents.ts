import { readFileSync } from 'node:fs';

/** The pages of docs/ that are served under /docs/, with one sentence about each for an index. */
export const servedDocuments: Readonly<Record<string, string>> = {
  'guide.md':
    'from nothing to a reviewed merge: curl, library, command line and Python side by side',
  'client.md': 'the JavaScript and TypeScript library, with examples',
  'cli.md': 'the command line, command by command',
  'python.md': 'one file for Python, with examples',
  'api.md': 'conventions of all routes, slices and lenses, whole values, limits, retries',
  'operations.md': 'every kind of operation, carrying to the head, undo, the journal',
  'protocol.md':
    'the websocket and its events: editing a branch together, every message with an example',
  'webhooks.md': 'events that are sent to an address, signed as Standard Webhooks has it',
  'mcp.md': 'the MCP server: configuration of clients, its tools, resources and prompts',
  'rejections.md': 'why an operation is rejected, and what to do, code by code',
  'errors.md': 'why a request is refused, and what to do, code by code',
  'console.md': 'the pages for people: sheets, history, comparing, reviewing merges',
  'merges.md': 'branches that are merged: conflicts, units, approvals, states of a merge',
  'matching.md': 'columns matched by what they mean: states, reasons, options, applying',
  'life-cycle.md': 'archive, restore, purge, settings, retention',
  'import-export.md': 'files that come in and go out: .xlsx, .csv, NDJSON, and what is dropped',
  'formula-functions.md': 'the worksheet functions with their arguments',
  'kernel.md': 'how formulas are calculated',
  'kernel-abi.md': 'what the kernel takes and answers',
  'transparency-log.md': 'the log, its proofs, and how to check them offline',
  'words.md': 'the words of the code, for who works on it',
  'settings.md': 'the settings of a service of your own',
  'backups.md': 'what to copy, how to put it back, and the mark of an object store',
};

let texts: ReadonlyMap<string, string> | undefined;

/** Returns the text of each served page, which a process reads once. */
export function readDocuments(): ReadonlyMap<string, string> {
  const folder = new URL('docs/', import.meta.resolve('#package.json'));
  return (texts ??= new Map(
    Object.keys(servedDocuments).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]),
  ));
}
