import type { ServiceDoor, TestAnswer, TestRequest } from './service-door.ts';
import type { TestService } from './test-service.ts';

/** One workbook of one agent, requested by the rest of its path. */
export class Book<Service extends ServiceDoor = TestService> {
  readonly service: Service;
  readonly credential: string;
  readonly id: string;
  readonly namespace: string;
  readonly name: string;

  private constructor(
    service: Service,
    credential: string,
    { id, namespace, name }: { id: string; namespace: string; name: string },
  ) {
    this.service = service;
    this.credential = credential;
    this.id = id;
    this.namespace = namespace;
    this.name = name;
  }

  static async create<Service extends ServiceDoor>(
    service: Service,
    { credential, name }: { credential?: string; name?: string } = {},
  ): Promise<Book<Service>> {
    const owner = credential ?? (await service.register());
    const body = name === undefined ? {} : { name };
    const answer = await service.request('/v1/workbooks', { credential: owner, body });
    if (answer.status !== 201) throw new Error(`creation answered ${answer.text}`);
    return new Book(service, owner, answer.json as { id: string; namespace: string; name: string });
  }

  /** Returns the same workbook at another process. */
  at<Other extends ServiceDoor>(service: Other): Book<Other> {
    return new Book(service, this.credential, this);
  }

  /** Sends a request; `rest` begins with a slash or a question mark, or is empty. */
  ask(rest: string, options: Omit<TestRequest, 'credential'> = {}): Promise<TestAnswer> {
    const { credential } = this;
    return this.service.request(`/v1/workbooks/${this.id}${rest}`, { credential, ...options });
  }

  set(a1: string, input: unknown, id?: string): Promise<TestAnswer> {
    const operation = { kind: 'cells.set', payload: { cells: [{ a1, input }] } };
    const ops = [id === undefined ? operation : { id, ...operation }];
    return this.ask('/branches/main/ops', { body: { ops, writer: 'w' } });
  }

  /** Archives the workbook; returns the token that a purge needs. */
  async archive(): Promise<string> {
    const answer = await this.ask('', { method: 'DELETE' });
    const { confirm } = answer.json as { confirm?: string };
    if (confirm === undefined) throw new Error(`archiving answered ${answer.text}`);
    return confirm;
  }

  purge(confirm: string): Promise<TestAnswer> {
    return this.ask(`?purge=true&confirm=${confirm}`, { method: 'DELETE' });
  }
}
