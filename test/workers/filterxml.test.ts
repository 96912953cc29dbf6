import * as fc from 'fast-check';
import { SaxesParser } from 'saxes';
import t from 'tap';

import { caseCount } from '../support/case-count.ts';
import { evaluateBeside } from '../support/evaluate-beside.ts';
import {
  XmlTree,
  saidBy,
  writeXml,
  writeXpath,
  type Condition,
  type Nodes,
  type Step,
  type XmlNode,
} from '../support/xpath-double.ts';

/**
 * Returns FILTERXML of a text. Over random documents the tests compare what it reads with saxes,
 * and what it finds with XPath's definition.
 */
function filter(xml: string, xpath: string): unknown {
  return evaluateBeside([xml, xpath], ['=FILTERXML(A1,B1)'])[0];
}

function expectSame(found: unknown, expected: unknown, about: string): void {
  const [one, other] = [found, expected].map((some) => JSON.stringify(some));
  if (one !== other) throw new Error(`${about}: ${one} for ${other}`);
}

const noValue = { error: '#VALUE!' };

const leaf = { children: [], attributes: [] };
const name = fc.constantFrom('a', 'b', 'c');
/** Texts of nodes are neither numbers nor dates, so that they stay as they are; some are equal. */
const said = fc.constantFrom('t', 'u', 'v', 'tu', 'w');
const attributes = fc
  .uniqueArray(fc.tuple(fc.constantFrom('x', 'y', 'a'), said), { selector: ([one]) => one })
  .map((all) =>
    all.map(([one, value]): XmlNode => ({ ...leaf, kind: 'attribute', name: one, value })),
  );

/** Leaves out a text beside another one: a document would have both as one. */
function apart(children: readonly XmlNode[]): XmlNode[] {
  return children.filter(
    ({ kind }, index) => kind !== 'text' || children[index - 1]?.kind !== 'text',
  );
}

const { element } = fc.letrec<{ element: XmlNode; child: XmlNode }>((tie) => ({
  element: fc
    .record({ name, attributes, children: fc.array(tie('child'), { maxLength: 4 }) })
    .map((one) => ({ ...one, kind: 'element', value: '', children: apart(one.children) })),
  child: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    said.map((value): XmlNode => ({ ...leaf, kind: 'text', name: '', value })),
    said.map((value): XmlNode => ({ ...leaf, kind: 'comment', name: '', value })),
    { arbitrary: tie('element'), weight: 6 },
  ),
}));
const tree = fc
  .tuple(element, fc.array(element, { minLength: 1, maxLength: 3 }))
  .map(([top, more]): XmlNode => ({
    ...leaf,
    kind: 'root',
    name: '',
    value: '',
    children: [{ ...top, children: [...top.children, ...more] }],
  }));

const test = fc.constantFrom(
  '*',
  '*',
  'node()',
  'node()',
  'text()',
  'comment()',
  'a',
  'b',
  'c',
  'x',
);
const axisNames = [
  'child',
  'child',
  'child',
  'descendant',
  'descendant',
  'descendant-or-self',
  'attribute',
  'self',
  'parent',
  'ancestor',
  'ancestor-or-self',
  'following',
  'following-sibling',
  'preceding',
  'preceding-sibling',
];
const axis = fc.constantFrom(...axisNames);
const operator = fc.constantFrom('=', '!=', '<', '<=', '>', '>=');
const few = fc.integer({ min: 0, max: 3 });

/** One depth for all: each level of predicates looks at every node for each of the one around it. */
const within = {
  depthSize: 'small',
  maxDepth: 4,
  depthIdentifier: fc.createDepthIdentifier(),
} as const;

const { nodes } = fc.letrec<{
  nodes: Nodes;
  path: Nodes;
  step: Step;
  condition: Condition;
  truth: Condition;
}>((tie) => ({
  nodes: fc.oneof(
    within,
    tie('path'),
    tie('path'),
    fc.record({ kind: fc.constant('union'), left: tie('path'), right: tie('nodes') }),
    fc.record({
      kind: fc.constant('filter'),
      nodes: tie('nodes'),
      predicate: tie('condition'),
      steps: fc.array(tie('step'), { maxLength: 1 }),
    }),
  ),
  path: fc.record({
    kind: fc.constant('path'),
    start: fc.constantFrom('', '/', '//'),
    steps: fc.array(tie('step'), { minLength: 1, maxLength: 3 }),
  }),
  step: fc.record({
    axis,
    test,
    predicates: fc.oneof(within, fc.constant([]), fc.array(tie('condition'), { maxLength: 2 })),
  }),
  condition: fc.oneof(
    fc.record({ kind: fc.constant('number'), value: few }),
    tie('truth'),
    tie('truth'),
  ),
  truth: fc.oneof(
    within,
    fc.record({ kind: fc.constant('position'), operator, fromEnd: few }),
    fc.record({ kind: fc.constant('some'), nodes: tie('nodes') }),
    fc.record({ kind: fc.constant('count'), nodes: tie('nodes'), operator, value: few }),
    fc.record({
      kind: fc.constant('same'),
      left: tie('nodes'),
      right: tie('nodes'),
      isNot: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('not'), inside: tie('truth') }),
    fc.record({
      kind: fc.constantFrom('and', 'or'),
      left: tie('truth'),
      right: tie('truth'),
    }),
  ),
}));

/**
 * Returns the values that FILTERXML should give for a set of nodes: their number, the name of the
 * first, the texts of all.
 */
function expectedOf(found: readonly XmlNode[]): unknown[] {
  const [first] = found;
  const name = first === undefined || first.kind === 'text' ? '' : first.name;
  return [found.length, name, found.length === 0 ? noValue : found.map(saidBy).join('|')];
}

t.test('an XPath finds what its definition says, in document order', async (t) => {
  let foundCount = 0;
  let runCount = 0;
  fc.assert(
    fc.property(tree, nodes, (root, wanted) => {
      const xpath = writeXpath(wanted);
      fc.pre(xpath.length <= 900);
      const xml = writeXml(root);
      const found = new XmlTree(root).find(wanted);
      runCount++;
      if (found.length > 1) foundCount++;
      const told = evaluateBeside(
        [xml, xpath, `count(${xpath})`, `name(${xpath})`],
        [
          '=FILTERXML(A1,C1)',
          '=FILTERXML(A1,D1)',
          '=TEXTJOIN("|",FALSE,FILTERXML(A1,B1))',
          '=ROWS(FILTERXML(A1,B1))',
        ],
      );
      const rowCount = found.length === 0 ? noValue : found.length;
      expectSame(told, [...expectedOf(found), rowCount], `${xml} ${xpath}`);
    }),
    { numRuns: caseCount(120) },
  );
  t.ok(foundCount > runCount / 8, `${foundCount} of ${runCount} found more than one node`);
});

const anyElement: Step = { axis: 'child', test: '*', predicates: [] };
const anyAttribute: Step = { axis: 'attribute', test: '*', predicates: [] };
const elements: Nodes = { kind: 'path', start: '//', steps: [anyElement] };
const everything: Nodes = {
  kind: 'union',
  left: elements,
  right: { kind: 'path', start: '//', steps: [anyElement, anyAttribute] },
};
const always: Condition = {
  kind: 'not',
  inside: {
    kind: 'some',
    nodes: { ...elements, start: '', steps: [{ ...anyElement, test: 'z' }] },
  },
};

/** A step from every element and, because a union has to be in parentheses, every attribute. */
function along(axis: string, fromAttributes: boolean, predicates: readonly Condition[]): Nodes {
  const step: Step = { axis, test: 'node()', predicates };
  if (!fromAttributes) return { kind: 'path', start: '//', steps: [anyElement, step] };
  return { kind: 'filter', nodes: everything, predicate: always, steps: [step] };
}

/** The tree with another text for each node that has one, so that no two are taken for one. */
function numbered(node: XmlNode, counter = { count: 0 }): XmlNode {
  const value = node.value === '' ? '' : `${node.value}${++counter.count}`;
  const number = (one: XmlNode): XmlNode => numbered(one, counter);
  return {
    ...node,
    value,
    attributes: node.attributes.map(number),
    children: node.children.map(number),
  };
}

t.test('every axis has its order and its positions, from every node', async () => {
  fc.assert(
    fc.property(
      tree.map((root) => numbered(root)),
      fc.boolean(),
      few,
      (root, fromAttributes, position) => {
        const some: Condition[][] = [
          [],
          [{ kind: 'number', value: position }],
          [{ kind: 'position', operator: '=', fromEnd: position }],
        ];
        const all = [...new Set(axisNames)].flatMap((one) =>
          some.map((many) => along(one, fromAttributes, many)),
        );
        const xpaths = all.map(writeXpath);
        const told = evaluateBeside(
          [writeXml(root)],
          xpaths.map((one) => `=TEXTJOIN("|",FALSE,FILTERXML($A$1,"${one}"))`),
        );
        const double = new XmlTree(root);
        for (const [index, one] of all.entries()) {
          const found = double.find(one);
          const expected = found.length === 0 ? noValue : found.map(saidBy).join('|');
          expectSame(told[index], expected, `${writeXml(root)} ${xpaths[index]}`);
        }
      },
    ),
    { numRuns: caseCount(60) },
  );
});

interface Reading {
  elements: number;
  attributes: number;
  comments: number;
  instructions: number;
  text: string;
  names: string;
}

/** Two mistakes that saxes overlooks: `<?a?b?>`, and `a:-b`, where no name may begin. */
const isOverlooked = /<\?[^\s?]+\?[^>]|:[-\u00b7]/u;

/**
 * Returns the content that saxes reads, or undefined if it is no document, or one with a DOCTYPE.
 */
function readBySaxes(xml: string): Reading | undefined {
  // It takes half a character for one.
  if (/\p{Surrogate}/u.test(xml)) return undefined;
  const parser = new SaxesParser({ xmlns: true });
  const read = { elements: 0, attributes: 0, comments: 0, instructions: 0, text: '', names: '' };
  let depth = 0;
  let problems = 0;
  parser.on('error', () => {
    problems++;
  });
  parser.on('doctype', () => {
    problems++;
  });
  parser.on('opentag', (tag) => {
    depth++;
    read.elements++;
    read.names += `{${tag.uri}}${tag.local}\n`;
    read.attributes += Object.values(tag.attributes).filter(
      ({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns',
    ).length;
  });
  parser.on('closetag', () => {
    depth--;
  });
  parser.on('text', (text) => {
    if (depth > 0) read.text += text;
  });
  parser.on('cdata', (text) => {
    read.text += text;
  });
  parser.on('comment', () => {
    read.comments++;
  });
  parser.on('processinginstruction', () => {
    read.instructions++;
  });
  parser.write(xml).close();
  return problems === 0 ? read : undefined;
}

const counts =
  'concat(count(//*)," ",count(//@*)," ",count(//comment())," ",count(//processing-instruction()))';

const wellFormed =
  '<?xml version="1.0" encoding="UTF-8"?>\n<!-- c --><r xml:space="preserve" xmlns="d" xmlns:p="u" ' +
  'p:k=\'1 &amp; 2\' k="&#x41;&lt;"><p:a xmlns:p=\'w\' p:k=""/>t\r\n<b><![CDATA[<x>]]>&#10;&gt;</b>' +
  '<?go on?><c é="😀" xmlns=""/> ]] <!----></r>\n<?end?>';

const fragment = fc.oneof(
  fc.constantFrom('<', '>', '&', ';', '"', "'", '/', '=', ' ', ':', '?', '!', '-', ']]>', '--'),
  fc.constantFrom('<a>', '</a>', '<a/>', '&lt;', '&#0;', '&#xD800;', '&x;', '<![CDATA[', '\u0001'),
  fc.constantFrom('xmlns:p="u"', ' k="2"', ' p:k="2"', 'xmlns:xml="u"', '<?xml ?>', '\ud800', 'é'),
  fc.constantFrom('\ufffe', '\u00b7', '<!-- -->', 'xml', 'xmlns', '<?p?>', '<p:b/>', '<q:b/>'),
);
const edit = fc.record({ place: fc.nat(), drop: fc.integer({ min: 0, max: 9 }), insert: fragment });

function edited(text: string, edits: readonly { place: number; drop: number; insert: string }[]) {
  let result = text;
  for (const { place, drop, insert } of edits) {
    const at = place % (result.length + 1);
    result = result.slice(0, at) + (drop > 6 ? '' : insert) + result.slice(at + drop);
  }
  return result;
}

t.test('documents are read as saxes reads them, and nothing else is one', async (t) => {
  let goodCount = 0;
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 2 }), (edits) => {
      const xml = edited(wellFormed, edits);
      fc.pre(!isOverlooked.test(xml));
      const read = readBySaxes(xml);
      const found = filter(xml, counts);
      if (read === undefined) return expectSame(found, noValue, xml);
      goodCount++;
      const { elements, attributes: attributeCount, comments, instructions } = read;
      const expected = [elements, attributeCount, comments, instructions].join(' ');
      expectSame(found, expected, xml);
      if (xml.includes(' xml:space="preserve"')) {
        expectSame(filter(xml, 'string(/)'), read.text, xml);
      }
      for (const [index, qualified] of read.names.trimEnd().split('\n').entries()) {
        const one = `(//*)[${index + 1}]`;
        const written = `concat("{",namespace-uri(${one}),"}",local-name(${one}))`;
        // saxes takes white space around the name of a namespace away.
        const trimmed = String(filter(xml, written)).replaceAll(/(?<=\{) +| +(?=\})/gu, '');
        expectSame(trimmed, qualified, xml);
      }
    }),
    { numRuns: caseCount(200), examples: [[[]]] },
  );
  t.ok(goodCount > 20, `${goodCount} documents were well-formed`);
});
