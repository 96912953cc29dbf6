import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { CallResult, Catalogue, Prompt, Questions, Tool } from '../../server/mcp/catalogue.ts';
import type { McpContext } from '../../server/mcp/context.ts';
import { badParams } from '../../server/mcp/protocol/fault.ts';
import type { JsonObject } from '../../server/mcp/protocol/message.ts';
import { isObject } from '../../server/model/plain-json.ts';

/** The fixtures that the official suite wants, as its scenarios describe them. */

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';

type Run = (given: JsonObject, context: McpContext) => Promise<CallResult> | CallResult;

const nothing = { type: 'object', properties: {} } as const;

function fixture(name: string, run: Run, inputSchema: JsonObject = nothing): Tool {
  const listed = { name, description: `Fixture ${name}`, inputSchema };
  return { name, listed, headers: [], call: async (given, context) => run(given, context) };
}

const said = (text: string) => ({ type: 'text', text });
const image = { type: 'image', data: png, mimeType: 'image/png' };

function says(text: string): CallResult {
  return { content: [said(text)] };
}

function elicit(message: string, properties: JsonObject): JsonObject {
  const requestedSchema = { type: 'object', properties, required: Object.keys(properties) };
  return { method: 'elicitation/create', params: { message, requestedSchema } };
}

function sample(text: string, maxTokens: number): JsonObject {
  const messages = [{ role: 'user', content: said(text) }];
  return { method: 'sampling/createMessage', params: { messages, maxTokens } };
}

const roots = { method: 'roots/list', params: {} };
const askName = elicit('What is your name?', { name: { type: 'string' } });

/** Returns a member of an accepted form; undefined where it is not answered as asked. */
function formOf(context: McpContext, key: string, member: string): unknown {
  const answer = context.answers?.[key];
  if (!isObject(answer) || answer['action'] !== 'accept') return undefined;
  return isObject(answer['content']) ? answer['content'][member] : undefined;
}

/** Asks, unless all of it is answered. */
function ask(
  inputRequests: Questions['inputRequests'],
  { answers }: McpContext,
  requestState?: string,
): Questions | undefined {
  const isAnswered = Object.keys(inputRequests).every((key) => isObject(answers?.[key]));
  if (isAnswered) return undefined;
  return requestState === undefined ? { inputRequests } : { inputRequests, requestState };
}

/** A state that nobody else can make. */
function signed(text: string): string {
  return `${text}.${createHmac('sha256', 'fixture').update(text).digest('hex')}`;
}

function checkState(state: string | undefined, text: string): void {
  if (state !== signed(text)) throw badParams('The state is not one that was given out here.');
}

const confirm = { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) };

const asking: readonly Tool[] = [
  fixture('test_input_required_result_elicitation', (_given, context) => {
    const name = formOf(context, 'user_name', 'name');
    return typeof name === 'string'
      ? says(`Hello, ${name}!`)
      : { inputRequests: { user_name: askName } };
  }),
  fixture('test_input_required_result_sampling', (_given, context) => {
    const question = { capital_question: sample('What is the capital of France?', 100) };
    return ask(question, context) ?? says(JSON.stringify(context.answers));
  }),
  fixture('test_input_required_result_list_roots', (_given, context) => {
    return ask({ client_roots: roots }, context) ?? says(JSON.stringify(context.answers));
  }),
  ...['request_state', 'tampered_state'].map((name) =>
    fixture(`test_input_required_result_${name}`, (_given, context) => {
      const questions = ask(confirm, context, signed(name));
      if (questions) return questions;
      checkState(context.state, name);
      return says('state-ok');
    }),
  ),
  fixture('test_input_required_result_multiple_inputs', (_given, context) => {
    const greeting = sample('Generate a greeting', 50);
    const all = { user_name: askName, greeting, client_roots: roots };
    return ask(all, context, signed('multiple')) ?? says(JSON.stringify(context.answers));
  }),
  fixture('test_input_required_result_multi_round', (_given, context) => {
    const color = {
      step2: elicit('Step 2: What is your favorite color?', { color: { type: 'string' } }),
    };
    if (context.state === signed('round 2'))
      return ask(color, context, signed('round 2')) ?? says('done');
    const name = { step1: elicit('Step 1: What is your name?', { name: { type: 'string' } }) };
    const first = ask(name, context, signed('round 1'));
    if (first) return first;
    checkState(context.state, 'round 1');
    return { inputRequests: color, requestState: signed('round 2') };
  }),
  fixture('test_input_required_result_capabilities', (_given, context) => {
    const all: Record<string, JsonObject> = {
      elicitation: askName,
      sampling: sample('Hello', 10),
      roots,
    };
    const able = Object.entries(all).filter(([name]) => name in context.capabilities);
    return ask(Object.fromEntries(able), context) ?? says('nothing to ask');
  }),
  fixture('test_streaming_elicitation', (_given, context) => {
    context.progress(0, 1);
    return ask({ user_name: askName }, context) ?? says('answered');
  }),
  fixture('test_missing_capability', (_given, context) => {
    return ask({ question: sample('Hello', 10) }, context) ?? says('answered');
  }),
];

const telling: readonly Tool[] = [
  fixture('test_simple_text', () => says('This is a simple text response for testing.')),
  fixture('test_image_content', () => ({ content: [image] })),
  fixture('test_audio_content', () => ({
    content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  })),
  fixture('test_embedded_resource', () => {
    const text = 'This is an embedded resource content.';
    const resource = { uri: 'test://embedded-resource', mimeType: 'text/plain', text };
    return { content: [{ type: 'resource', resource }] };
  }),
  fixture('test_multiple_content_types', () => {
    const text = '{"test":"data","value":123}';
    const resource = { uri: 'test://mixed-content-resource', mimeType: 'application/json', text };
    return {
      content: [said('Multiple content types test:'), image, { type: 'resource', resource }],
    };
  }),
  fixture('test_error_handling', () => {
    return {
      content: [said('This tool intentionally returns an error for testing')],
      isError: true,
    };
  }),
  fixture('test_logging_tool', () =>
    says('It logs nothing: that part of the protocol is deprecated.'),
  ),
  fixture('test_tool_with_progress', async (_given, { progress }) => {
    for (const done of [0, 50, 100]) {
      progress(done, 100);
      await sleep(50);
    }
    return says('done');
  }),
];

/** Tools that the scenarios of tasks call. They answer at once, since there are no tasks. */
const immediate: readonly Tool[] = [
  fixture('greet', ({ name }) => says(`Hello, ${String(name)}!`)),
  fixture('slow_compute', ({ label }) => says(`computed ${String(label)}`)),
];

const shapes: readonly Tool[] = [
  fixture('json_schema_2020_12_tool', () => says('ok'), {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    else: { required: ['email'] },
    additionalProperties: false,
    ...(JSON.parse('{"then":{"required":["phone"]}}') as JsonObject),
  }),
  {
    ...fixture('test_header_argument', () => says('ok'), {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      required: ['region'],
    }),
    headers: [{ argument: 'region', header: 'Region' }],
  },
];

function prompt(name: string, names: readonly string[], get: Prompt['get']): Prompt {
  const known = names.map((one) => ({ name: one, description: one, required: true }));
  return { name, listed: { name, description: `Fixture ${name}`, arguments: known }, get };
}

const user = (content: JsonObject) => ({ role: 'user', content });

const prompts: readonly Prompt[] = [
  prompt('test_simple_prompt', [], () => ({
    messages: [user(said('This is a simple prompt for testing.'))],
  })),
  prompt('test_prompt_with_arguments', ['arg1', 'arg2'], ({ arg1, arg2 }) => ({
    messages: [user(said(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`))],
  })),
  prompt('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri: uri }) => {
    const text = 'Embedded resource content for testing.';
    const resource = { uri, mimeType: 'text/plain', text };
    const embedded = user({ type: 'resource', resource });
    return { messages: [embedded, user(said('Please process the embedded resource above.'))] };
  }),
  prompt('test_prompt_with_image', [], () => ({
    messages: [user(image), user(said('Please analyze the image above.'))],
  })),
  prompt('test_input_required_result_prompt', [], (_given, context) => {
    const properties = { context: { type: 'string' } };
    const question = { user_context: elicit('What context should the prompt use?', properties) };
    return ask(question, context) ?? { messages: [user(said('with context'))] };
  }),
];

const never = { ttlMs: 0, cacheScope: 'private' } as const;

const contents: Readonly<Record<string, JsonObject>> = {
  'test://static-text': {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { mimeType: 'image/png', blob: png },
  'test://watched-resource': { mimeType: 'text/plain', text: 'It never changes.' },
};

export const fixtureCatalogue: Catalogue = {
  tools: [...telling, ...asking, ...immediate, ...shapes],
  prompts,
  resources: {
    templates: [
      { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
    ],
    list: async () =>
      Object.entries(contents).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
    read: async (uri) => {
      const content = contents[uri];
      if (content) return { contents: [{ uri, ...content }], ...never };
      const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1];
      if (id === undefined) return undefined;
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri, mimeType: 'application/json', text }], ...never };
    },
    watch: async (uri) =>
      uri in contents ? { workbookId: 'test', stop: () => undefined } : undefined,
    mayStillRead: async () => true,
  },
  complete: async ({ value }) => ['paris', 'park', 'party'].filter((one) => one.startsWith(value)),
};
