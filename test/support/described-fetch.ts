import { Ajv2020 } from 'ajv/dist/2020.js';

import { openApiDocument } from '../../server/http/reference/openapi.ts';
import type { Route } from '../../server/http/route.ts';
import { wholeRouteTable } from './route-table.ts';

interface Described {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, Media>> }>
  >;
}

interface Media {
  readonly schema?: object;
}

interface Known {
  readonly pattern: RegExp;
  readonly method: string;
  readonly pointer: string;
  readonly operation: Described;
}

const base = 'http://quire.example';
const addresses = { baseUrl: base, authUrl: base, siteUrl: base };

/**
 * A fetch that checks each answer against the strict form of the reference: an undescribed status,
 * type or member is a fault.
 */
export class DescribedFetch {
  /** Ids of operations that succeeded. */
  readonly done = new Set<string>();
  readonly faults: string[] = [];
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #known: readonly Known[];

  constructor() {
    const text = JSON.stringify(openApiDocument(routes(), addresses, '1'));
    const document = JSON.parse(text) as { paths: Record<string, Record<string, Described>> };
    this.#ajv.addSchema(document, 'reference');
    this.#known = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        pattern: patternOf(path),
        method: method.toUpperCase(),
        pointer: `/paths/${escaped(path)}/${method}`,
        operation,
      })),
    );
  }

  /** Ids of all operations that the reference has. */
  get all(): string[] {
    return this.#known.map(({ operation }) => operation.operationId);
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const address = input instanceof Request ? input.url : input;
    await this.#look(init?.method ?? 'GET', new URL(address).pathname, response);
    return response;
  };

  async #look(method: string, path: string, response: Response): Promise<void> {
    const known = this.#operationOf(method, path);
    const fault = known ? await this.#faultOf(known, response) : 'no such operation';
    if (fault !== undefined) this.faults.push(`${method} ${path} ${response.status}: ${fault}`);
    const isGood = response.status < 400 || response.status === 426;
    if (known && isGood) this.done.add(known.operation.operationId);
  }

  /** Finds the operation of a path; if several fit, the one with the most literal segments. */
  #operationOf(method: string, path: string): Known | undefined {
    return this.#known
      .filter((one) => one.method === method && one.pattern.test(path))
      .toSorted((a, b) => fixedLength(b.pattern) - fixedLength(a.pattern))[0];
  }

  async #faultOf({ operation, pointer }: Known, response: Response): Promise<string | undefined> {
    const isNamed = String(response.status) in operation.responses;
    const status = isNamed ? String(response.status) : 'default';
    const described = operation.responses[status];
    if (!described || (!isNamed && response.ok)) return 'no such answer';
    const type = (response.headers.get('content-type') ?? '').replace(/;.*/, '');
    const { content = {} } = described;
    if (type === '' || Object.keys(content).length === 0) return undefined;
    const media = content[type];
    if (!media) return `no ${type}`;
    if (!media.schema || !/[/+]json$/.test(type)) return undefined;
    return this.#schemaFault(
      `${pointer}/responses/${status}/content/${escaped(type)}/schema`,
      await response.clone().json(),
    );
  }

  #schemaFault(pointer: string, value: unknown): string | undefined {
    const check = this.#ajv.compile({ $ref: encodeURI(`reference#${pointer}`) });
    return check(value) ? undefined : this.#ajv.errorsText(check.errors);
  }
}

/** Returns all routes, including those of OpenRefine's protocol, which /openapi.json leaves out. */
function routes(): Route[] {
  return wholeRouteTable().map((one) => {
    return one.path.startsWith('/v1/reconciliation/') ? { ...one, hidden: false } : one;
  });
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function patternOf(path: string): RegExp {
  const filled = path
    .replaceAll(/[.*+?^$|()[\]\\]/g, String.raw`\$&`)
    .replaceAll('{rest}', '.+')
    .replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${filled}$`);
}

function fixedLength({ source }: RegExp): number {
  return source.replaceAll('[^/]+', '').length;
}
