import type { Config, RegistrationType } from '../config.ts';
import type { Addresses } from '../model/addresses.ts';
import type { Environment } from '../model/environment.ts';
import { isLoopback } from '../model/ip-address.ts';
import type { LimitsProfile } from '../model/limits.ts';
import { Repetition } from '../model/repetition.ts';
import { asSet } from '../model/start-refused.ts';
import type { Purges } from '../maintenance/purges.ts';
import type { Sql } from '../storage/postgres.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import { Authenticator } from './authenticator.ts';
import { Claims } from './claims/claims.ts';
import { Completions } from './claims/completion/completions.ts';
import { CompletionTable } from './claims/completion/sql.ts';
import { ClaimTable } from './claims/sql.ts';
import { Expiry } from './expiry/expiry.ts';
import { ExpiryTable } from './expiry/sql.ts';
import type { IdentityStore } from './identity-store.ts';
import { Outbox } from './mail/outbox.ts';
import { OutboxTable } from './mail/sql.ts';
import { openTransport } from './mail/transport.ts';
import type { MailTransport } from './mail/transport.ts';
import { MasterKey } from './master-key.ts';
import { Registrations } from './registration.ts';
import { RightsWatch, type RightsParts } from './rights-watch.ts';
import { Authorization } from './oauth/authorization.ts';
import { Clients } from './oauth/clients/clients.ts';
import { DocumentSource } from './oauth/clients/document-source.ts';
import { GrantModel } from './oauth/grant-model.ts';
import { OauthTable } from './oauth/sql.ts';
import { OwnTable } from './site/agents/sql.ts';
import { Sessions } from './site/sign-in/sessions.ts';
import { SessionTable } from './site/sign-in/sql.ts';
import { readProviders } from './site/upstream/providers.ts';
import type { Provider } from './site/upstream/providers.ts';
import { FlowTable } from './site/upstream/sql.ts';
import { Upstream } from './site/upstream/upstream.ts';
import { PostgresIdentityStore } from './sql.ts';

export interface IdentityOptions {
  readonly sql: Sql;
  readonly environment: Environment;
  readonly addresses: Addresses;
  readonly profile: LimitsProfile;
  readonly config: Config;
  /** Called when background work failed; it is tried again. */
  readonly report: (step: string, error: unknown) => void;
}

/** Secrets and settings that are read from files at the start. */
interface Read {
  readonly masterKey: MasterKey;
  readonly providers: readonly Provider[];
}

const tidyRestMilliseconds = 600_000;

/** The identity service: who agents are, and what their credentials allow. */
export class Identity {
  readonly profile: LimitsProfile;
  readonly store: IdentityStore;
  readonly authenticator: Authenticator;
  readonly registrations: Registrations;
  readonly claims: Claims;
  readonly completions: Completions;
  readonly transport: MailTransport;
  readonly addresses: Addresses;
  readonly environment: Environment;
  readonly registrationTypes: readonly RegistrationType[];
  /** True when the site shows letters to a developer: mail goes to a folder, on loopback. */
  readonly showsMail: boolean;
  /** Key that seals the secrets of webhooks. */
  readonly webhookKey: Buffer;
  readonly claimTable: ClaimTable;
  readonly sessions: Sessions;
  readonly sessionTable: SessionTable;
  readonly own: OwnTable;
  readonly oauthTable: OauthTable;
  readonly grantModel: GrantModel;
  readonly authorization: Authorization;
  readonly introspectionSecret: string | undefined;
  readonly forget: (sha256: string) => void;
  readonly upstream: Upstream;
  readonly #flows: FlowTable;
  readonly #outbox: Outbox;
  readonly #report: IdentityOptions['report'];
  readonly #sql: Sql;
  #expiry: Expiry | undefined;
  readonly #tidying: Repetition;

  private constructor(options: IdentityOptions, { masterKey, providers }: Read) {
    const { sql, config, environment, addresses, profile, report } = options;
    this.profile = profile;
    this.store = new PostgresIdentityStore(sql);
    this.environment = environment;
    this.addresses = addresses;
    this.registrationTypes = config.registrationTypes;
    this.#report = report;
    this.#tidying = new Repetition({
      environment,
      restMilliseconds: tidyRestMilliseconds,
      step: 'drop what has had its time',
      pass: () => this.#tidy(),
      report,
    });
    this.#sql = sql;
    this.#flows = new FlowTable(sql);
    this.showsMail = showsMail(config, addresses);
    this.authenticator = new Authenticator({
      store: this.store,
      environment,
      profile,
      resource: addresses.baseUrl,
      report,
    });
    this.registrations = new Registrations(this.store, environment, addresses, profile);
    const { mailUrl, mailFrom = defaultFrom(addresses) } = config;
    this.transport = openTransport(mailUrl, mailFrom);
    this.#outbox = new Outbox({
      table: new OutboxTable(sql),
      transport: this.transport,
      environment,
      key: masterKey.derive('letters'),
      report,
    });
    this.claimTable = new ClaimTable(sql);
    this.webhookKey = masterKey.derive('webhooks');
    const pepper = masterKey.derive('one-time codes');
    const parts = { table: this.claimTable, outbox: this.#outbox, environment, addresses };
    this.forget = (sha256) => this.authenticator.forget(sha256);
    this.claims = new Claims({ ...parts, profile, pepper });
    this.completions = new Completions({
      claims: this.claims,
      claimTable: this.claimTable,
      table: new CompletionTable(sql),
      store: this.store,
      environment,
      addresses,
      pepper,
      forget: this.forget,
    });
    this.own = new OwnTable(sql);
    const table = new OauthTable(sql);
    this.oauthTable = table;
    this.grantModel = new GrantModel({ table, environment, forget: this.forget });
    const documents = new DocumentSource({ environment, takesLoopback: this.showsMail });
    const countReading = (address: string) => this.claims.countDocument(address);
    const clients = new Clients({ table, documents, environment, countReading });
    this.authorization = new Authorization({ table, clients, environment, addresses });
    this.introspectionSecret = config.introspectionSecret;
    this.sessionTable = new SessionTable(sql);
    const formKey = masterKey.derive('forms');
    const { sessionTable } = this;
    const sessions = new Sessions({ table: sessionTable, environment, addresses, formKey });
    this.sessions = sessions;
    const flowKey = masterKey.derive('sign-in flows');
    const flows = { table: this.#flows, flowKey, providers };
    this.upstream = new Upstream({ ...flows, sessions, environment, addresses, report });
  }

  /** Starts the service; resolves once revocations of other processes are heard. */
  static async start(options: IdentityOptions): Promise<Identity> {
    const { config, environment } = options;
    const masterKey = await asSet('IDENTITY_KEY_FILE', () =>
      MasterKey.open(config.identityKeyFile, environment),
    );
    const providers = await asSet('SIGN_IN_PROVIDERS_FILE', () =>
      readProviders(config.signInProvidersFile),
    );
    const identity = new Identity(options, { masterKey, providers });
    await identity.authenticator.start();
    // The processes that write letters also send them.
    if (config.role !== 'api') identity.#outbox.start();
    identity.#tidying.start();
    return identity;
  }

  /** Makes the watch over credentials and over the right to read workbooks of a registry. */
  rightsIn(registry: RightsParts['registry']): RightsWatch {
    const { authenticator: credentials, environment } = this;
    return new RightsWatch({ credentials, registry, environment, report: this.#report });
  }

  /** Starts the background work that ends agents nobody claimed. */
  endUnclaimed(registry: Pick<WorkbookRegistry, 'archive'>, purges: Pick<Purges, 'purge'>): void {
    const { environment } = this;
    const table = new ExpiryTable(this.#sql);
    const expiry = new Expiry({
      table,
      environment,
      archive: (id, owner) => registry.archive(id, owner),
      purge: async (id, owner, confirm) => {
        await purges.purge(id, owner, confirm);
      },
      report: this.#report,
    });
    expiry.start();
    this.#expiry = expiry;
  }

  async stop(): Promise<void> {
    await this.#tidying.stop();
    await this.#expiry?.stop();
    await this.#outbox.stop();
    await this.authenticator.stop();
  }

  async #tidy(): Promise<void> {
    const now = new Date(this.environment.now());
    await this.store.tidy(now);
    await this.claimTable.tidy(now);
    await this.sessionTable.tidy(now);
    await this.#flows.tidy(now);
    await this.oauthTable.tidy(now);
  }
}

function showsMail({ developmentHooks, host }: Config, { siteUrl }: Addresses): boolean {
  return developmentHooks && isLoopback(host) && isLoopback(new URL(siteUrl).hostname);
}

function defaultFrom({ authUrl }: Addresses): string {
  const { hostname } = new URL(authUrl);
  const isName = /^[a-z0-9.-]+\.[a-z]/i.test(hostname);
  return `Quire <no-reply@${isName ? hostname : 'quire.invalid'}>`;
}
