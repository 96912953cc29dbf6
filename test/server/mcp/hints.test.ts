import t from 'tap';

import { hintFor, rejectionHint } from '../../../server/mcp/tools/hints.ts';
import { toolsOf } from '../../../server/mcp/tools/tools.ts';
import type { McpServices } from '../../../server/mcp/services.ts';
import { failures, type FailureKey } from '../../../server/model/failure.ts';
import { operationGuide } from '../../../server/model/operation-guide.ts';
import { rejections } from '../../../server/model/rejection.ts';

import { writtenTexts } from '../../support/written-texts.ts';

/** Hints of everything that a tool can come to, as a tool tells them. */

/** Rooms that only requests come to, and files that only know the edge. */
const edge =
  /^(?:http|identity|maintenance|webhooks|console|collaboration|tlog|health|matches\/reconciliation|tables\/background)\/|\/http\.ts:|file-format\.ts:/;

/** Actions without a tool, for which a hint names the route. */
const outside = new Set(['workbookArchived']);

const found = writtenTexts().filter(
  ({ member, where }) => member === 'hint' && !edge.test(where.replaceAll('\\', '/')),
);
const tools = toolsOf({} as McpServices);
const known = JSON.stringify([tools.map(({ listed }) => listed), operationGuide]);

const isKnown = (word: string): boolean => new RegExp(`\\b${word}\\b`).test(known);

/** The words of a hint that are none of a tool's. */
function restIn(hint: string): readonly string[] {
  const words = hint.match(
    /\b(?:GET|POST|PUT|PATCH|DELETE)\b|\/v1\/|\bIf-Match\b|\bETag\b|[?&]\w+=|\b\w+=\w+|\b[a-z]+[A-Z]\w*/g,
  );
  return (words ?? []).filter((word) => !/^[a-z]+[A-Z]/.test(word) || !isKnown(word));
}

/** The hint in the words of each tool. */
function toldByTools(key: FailureKey, hint: string): string[] {
  return tools.map(({ listed }) => {
    const { properties } = listed['inputSchema'] as { properties: object };
    return hintFor({ key, hint, errors: [] }, new Set(Object.keys(properties))) ?? '';
  });
}

t.test('no hint that a tool can come to names what only a request has', (t) => {
  t.ok(found.length > 100, `${found.length} hints`);
  for (const { where, keys, text: hint } of found) {
    for (const key of keys.filter((one) => one in failures && !outside.has(one))) {
      const strange = toldByTools(key as FailureKey, hint).filter((one) => restIn(one).length > 0);
      t.same(strange, [], `${where}, ${key}: ${hint}`);
    }
  }
  t.end();
});

t.test('a hint that names a route is told as one of its own, not as that of any call', (t) => {
  const general = hintFor({ key: 'unknownMember', hint: undefined, errors: [] }, new Set());
  for (const { where, keys, text: hint } of found) {
    if (restIn(hint).length === 0) continue;
    for (const key of keys.filter((one) => one in failures)) {
      const told = hintFor({ key: key as FailureKey, hint, errors: [] }, new Set(['base_seq']));
      t.not(told, general, `${where}, ${key}: ${hint}`);
    }
  }
  t.end();
});

t.test('rejections name tools and payloads', (t) => {
  for (const [code, hint] of Object.entries(rejections)) {
    t.same(restIn(rejectionHint(code, hint)), [], `${code}: ${rejectionHint(code, hint)}`);
  }
  t.end();
});

t.test('words of REST are those of the arguments, where the tool has them', (t) => {
  const failure = { key: 'nothingApplied', errors: [] } as const;
  const told = (hint: string, ...names: string[]): string | undefined =>
    hintFor({ ...failure, hint }, new Set(names));
  t.equal(told('Send onInvalid: skip.', 'on_invalid'), 'Send on_invalid: skip.');
  t.equal(told('Send onInvalid: skip.'), 'Send onInvalid: skip.', 'a member of a payload');
  t.equal(
    told('The column "onInvalid" is there.', 'on_invalid'),
    'The column "onInvalid" is there.',
  );
  t.end();
});
