import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A text in the source code that the service sends to clients. */
interface WrittenText {
  readonly member: 'detail' | 'hint' | 'message';
  /** Text with `x1` and so on in place of values. */
  readonly text: string;
  /** Texts that the first argument of the call that takes it can be, such as `notFound`. */
  readonly keys: readonly string[];
  readonly where: string;
}

/** Returns every detail, hint and message in the source, including both branches of conditions. */
export function writtenTexts(): WrittenText[] {
  const files = readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' });
  return files.filter((name) => name.endsWith('.ts')).flatMap(textsOf);
}

function textsOf(name: string): WrittenText[] {
  const content = readFileSync(join(root, 'server', name), 'utf8');
  const source = ts.createSourceFile(name, content, ts.ScriptTarget.ES2023, true);
  const texts: WrittenText[] = [];
  const put = (member: WrittenText['member'], value: ts.Expression): void => {
    const line = source.getLineAndCharacterOfPosition(value.getStart()).line + 1;
    const where = `${name}:${line}`;
    for (const text of literals(value)) texts.push({ member, text, keys: keysOf(value), where });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node)) {
      const member = node.name.getText();
      if (isTold(member)) put(member, node.initializer);
    }
    if (ts.isNewExpression(node) && node.expression.getText() === 'Rejection') {
      const said = node.arguments?.[1];
      if (said) put('message', said);
    }
    node.forEachChild(visit);
  };
  visit(source);
  return texts;
}

function keysOf({ parent: { parent } }: ts.Expression): string[] {
  const { parent: call } = parent;
  if (!ts.isNewExpression(call) && !ts.isCallExpression(call)) return [];
  const key = call.arguments?.[0];
  return key ? literals(key) : [];
}

function isTold(member: string): member is WrittenText['member'] {
  return member === 'detail' || member === 'hint' || member === 'message';
}

function literals(value: ts.Expression): string[] {
  if (ts.isParenthesizedExpression(value)) return literals(value.expression);
  if (ts.isConditionalExpression(value)) {
    return [...literals(value.whenTrue), ...literals(value.whenFalse)];
  }
  if (ts.isBinaryExpression(value)) return [...literals(value.left), ...literals(value.right)];
  if (ts.isStringLiteral(value) || ts.isNoSubstitutionTemplateLiteral(value)) return [value.text];
  if (!ts.isTemplateExpression(value)) return [];
  const spans = value.templateSpans.map((span) => `x1${span.literal.text}`);
  return [[value.head.text, ...spans].join('')];
}
