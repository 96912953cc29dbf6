import type { Test } from 'tap';

import { TestService, type TestAnswer, type TestRequest } from './test-service.ts';

/** A service with one workbook, for tests of its tables over HTTP. */
export class TableBook {
  readonly service: TestService;
  readonly credential: string;
  readonly id: string;
  /** `/v1/{owner}/{space}`: the other form of its address. */
  readonly alias: string;

  private constructor(service: TestService, credential: string, book: TableBookFacts) {
    this.service = service;
    this.credential = credential;
    this.id = book.id;
    this.alias = `/v1/${book.namespace}/${book.name}`;
  }

  static async start(
    t: Pick<Test, 'teardown'>,
    ...[settings, given]: [
      settings?: Readonly<Record<string, string>>,
      given?: Parameters<typeof TestService.start>[2],
    ]
  ): Promise<TableBook> {
    const service = await TestService.start(t, settings, given ?? {});
    const credential = await service.registerClaimed();
    return TableBook.on(service, credential);
  }

  static async on(service: TestService, credential: string): Promise<TableBook> {
    const { json } = await service.request('/v1/workbooks', { credential, body: {} });
    return new TableBook(service, credential, json as TableBookFacts);
  }

  /** A request below the workbook; the path begins without a slash. */
  ask(path: string, request: TestRequest = {}): Promise<TestAnswer> {
    const { credential } = this;
    return this.service.request(`/v1/workbooks/${this.id}/${path}`, { credential, ...request });
  }

  /** The same by the other address. */
  askAlias(path: string, request: TestRequest = {}): Promise<TestAnswer> {
    const { credential } = this;
    return this.service.request(`${this.alias}/${path}`, { credential, ...request });
  }

  ops(...ops: object[]): Promise<TestAnswer> {
    return this.ask('branches/main/ops', { body: { ops } });
  }

  /** A table of goods with a key, and rows. */
  async sales(rows: object[] = []): Promise<string> {
    const created = await this.ask('branches/main/tables', {
      body: {
        name: 'Sales',
        keyColumn: 'sku',
        schema: { sku: 'text', region: 'text', price: 'number', count: 'integer' },
      },
    });
    if (created.status !== 201) throw new Error(created.text);
    if (rows.length > 0) {
      const written = await this.ask('branches/main/tables/Sales/rows', {
        body: { mode: 'import', rows },
      });
      if (written.status !== 200) throw new Error(written.text);
    }
    return (created.json as { table: { id: string } }).table.id;
  }
}

interface TableBookFacts {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
}
