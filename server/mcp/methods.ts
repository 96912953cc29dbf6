import { isObject } from '../model/plain-json.ts';
import type { Catalogue, Freshness, Prompt, Questions, Tool } from './catalogue.ts';
import type { McpContext } from './context.ts';
import { badParams, headerMismatch, ProtocolFault } from './protocol/fault.ts';
import { headerText, saysSame, textOf } from './protocol/header-values.ts';
import type { JsonObject } from './protocol/message.ts';
import { errorCodes, headerNames } from './protocol/names.ts';

/** The result of a method; `fresh` where a client may keep it. */
export interface MethodResult {
  readonly result: JsonObject;
  readonly fresh?: Freshness;
  readonly cells?: number;
}

export type Method = (params: JsonObject, context: McpContext) => Promise<MethodResult>;

/** The freshness of lists that are the same for everybody until the next release. */
const listed: Freshness = { ttlMs: 3_600_000, cacheScope: 'public' };
const own: Freshness = { ttlMs: 0, cacheScope: 'private' };
const completionsMost = 100;

/** The methods that both generations of the protocol have. */
export function commonMethods(catalogue: Catalogue): ReadonlyMap<string, Method> {
  const { tools, resources, prompts } = catalogue;
  // Put together for the first who asks: a start has no use for it.
  const toolList = (): JsonObject => ({ tools: tools.map((tool) => tool.listed) });
  const promptList = { prompts: prompts.map((prompt) => prompt.listed) };
  const templateList = { resourceTemplates: [...resources.templates] };
  const methods: Readonly<Record<string, Method>> = {
    'tools/list': async (params) => page(params, toolList()),
    'tools/call': (params, context) => callTool(toolNamed(tools, params), params, context),
    'resources/list': async (params, context) => {
      checkCursor(params);
      return { result: { resources: await resources.list(context) }, fresh: own };
    },
    'resources/templates/list': async (params) => page(params, templateList),
    'resources/read': (params, context) => readResource(catalogue, params, context),
    'prompts/list': async (params) => page(params, promptList),
    'prompts/get': async (params, context) => {
      const result = await promptNamed(prompts, params).get(argumentsOf(params), context);
      return { result: isQuestions(result) ? asked(result, context) : result };
    },
    'completion/complete': (params, context) => complete(catalogue, params, context),
  };
  return new Map(Object.entries(methods));
}

/** The lists are short, so that there is one page and no cursor. */
function page(params: JsonObject, result: JsonObject): MethodResult {
  checkCursor(params);
  return { result, fresh: listed };
}

function checkCursor({ cursor }: JsonObject): void {
  if (cursor !== undefined) throw badParams('There is one page: leave "cursor" out.');
}

function toolNamed(tools: readonly Tool[], { name }: JsonObject): Tool {
  const tool = tools.find((one) => one.name === name);
  if (tool) return tool;
  const known = tools.map((one) => one.name).join(', ');
  throw badParams(`There is no tool called ${String(name).slice(0, 100)}. There are ${known}.`);
}

function promptNamed(prompts: readonly Prompt[], { name }: JsonObject): Prompt {
  const prompt = prompts.find((one) => one.name === name);
  if (prompt) return prompt;
  const known = prompts.map((one) => one.name).join(', ');
  throw badParams(`There is no prompt called ${String(name).slice(0, 100)}. There are ${known}.`);
}

function argumentsOf(params: JsonObject): JsonObject {
  const { arguments: given = {} } = params;
  if (isObject(given)) return given;
  throw badParams('"arguments" is an object.');
}

async function callTool(
  tool: Tool,
  params: JsonObject,
  context: McpContext,
): Promise<MethodResult> {
  const result = await tool.call(argumentsOf(params), context);
  if (isQuestions(result)) return { result: asked(result, context) };
  const { cells, ...shown } = result;
  return cells === undefined ? { result: shown } : { result: shown, cells };
}

/** The capability that each request to a client takes. */
const capabilityOf: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

function isQuestions(result: object): result is Questions {
  return 'inputRequests' in result;
}

/** Returns questions to a client; fails for one that cannot answer them. */
function asked(questions: Questions, { capabilities }: McpContext): JsonObject {
  const missing = Object.values(questions.inputRequests).flatMap(({ method }) => {
    const capability = capabilityOf[String(method)];
    return capability === undefined || capability in capabilities ? [] : [capability];
  });
  if (missing.length === 0) return { ...questions, resultType: 'input_required' };
  const message = `The client has to say that it can do this: ${missing.join(', ')}.`;
  const requiredCapabilities = Object.fromEntries(missing.map((name) => [name, {}]));
  const options = { data: { requiredCapabilities }, status: 400 };
  throw new ProtocolFault(errorCodes.missingCapability, message, options);
}

async function readResource(
  { resources }: Catalogue,
  { uri }: JsonObject,
  context: McpContext,
): Promise<MethodResult> {
  if (typeof uri !== 'string') throw badParams('"uri" says what is to be read.');
  const read = await resources.read(uri, context);
  if (!read) {
    const forms = 'resources/list names those that are there, resources/templates/list the forms.';
    throw badParams(`There is no such resource: ${forms}`, { uri });
  }
  const { contents, ...fresh } = read;
  return { result: { contents }, fresh };
}

async function complete(
  catalogue: Catalogue,
  { ref, argument, context: settled }: JsonObject,
  context: McpContext,
): Promise<MethodResult> {
  if (!isObject(ref) || !isObject(argument)) {
    throw badParams('"ref" and "argument" say what is to be completed.');
  }
  const { name, value } = argument;
  if (typeof name !== 'string' || typeof value !== 'string') {
    throw badParams('"argument" has a name and a value, both texts.');
  }
  const of = subjectOf(ref);
  if ('prompt' in of) promptNamed(catalogue.prompts, { name: of.prompt });
  else if (!catalogue.resources.templates.some(({ uriTemplate }) => uriTemplate === of.template)) {
    throw badParams('There is no such template: resources/templates/list has them.');
  }
  const given = isObject(settled) && isObject(settled['arguments']) ? settled['arguments'] : {};
  const texts = Object.entries(given).flatMap(([key, text]) =>
    typeof text === 'string' ? [[key, text] as const] : [],
  );
  const asking = { of, argument: name, value, settled: Object.fromEntries(texts) };
  const values = await catalogue.complete(asking, context);
  const completion = {
    values: values.slice(0, completionsMost),
    total: values.length,
    hasMore: values.length > completionsMost,
  };
  return { result: { completion } };
}

function subjectOf({ type, name, uri }: JsonObject) {
  if (type === 'ref/prompt' && typeof name === 'string') return { prompt: name };
  if (type === 'ref/resource' && typeof uri === 'string') return { template: uri };
  throw badParams('"ref" is {"type":"ref/prompt","name"} or {"type":"ref/resource","uri"}.');
}

/** Fails if a header repeats an argument of a call with another value. */
export function checkArgumentHeaders(
  tools: readonly Tool[],
  params: JsonObject,
  header: (name: string) => string | undefined,
): void {
  const tool = tools.find(({ name }) => name === params['name']);
  const given = isObject(params['arguments']) ? params['arguments'] : {};
  for (const { argument, header: suffix } of tool?.headers ?? []) {
    const value = given[argument];
    if (textOf(value) === undefined) continue;
    const name = headerNames.parameter + suffix;
    const sent = header(name);
    if (sent === undefined) {
      throw headerMismatch(name, `${name}: the header is missing that repeats "${argument}".`);
    }
    const text = headerText(sent);
    if (text !== undefined && saysSame(text, value)) continue;
    const said = text === undefined ? 'is packed in a wrong way' : `says "${text}"`;
    throw headerMismatch(
      name,
      `${name}: "${argument}" is ${JSON.stringify(value)}, and the header ${said}.`,
    );
  }
}
