import type { Addresses } from '../model/addresses.ts';
import type { Environment } from '../model/environment.ts';
import type { LimitsProfile } from '../model/limits.ts';
import type { Sql } from '../storage/postgres.ts';
import { Authenticator } from './authenticator.ts';
import type { IdentityStore } from './identity-store.ts';
import { Registrations } from './registration.ts';
import { PostgresIdentityStore } from './sql.ts';

export interface IdentityOptions {
  readonly sql: Sql;
  readonly environment: Environment;
  readonly addresses: Addresses;
  readonly profile: LimitsProfile;
  /** Told when background work failed and will be tried again. */
  readonly report: (step: string, error: unknown) => void;
}

const tidyEveryMilliseconds = 600_000;

/** The identity service: who agents are, and what their credentials allow. */
export class Identity {
  readonly store: IdentityStore;
  readonly authenticator: Authenticator;
  readonly registrations: Registrations;
  readonly addresses: Addresses;
  readonly environment: Environment;
  /** Whether a credential can come to have the scope account: not before claims are open. */
  readonly isAccountGranted: boolean = false;
  readonly #report: IdentityOptions['report'];
  #cancelTidy: (() => void) | undefined;

  constructor({ sql, environment, addresses, profile, report }: IdentityOptions) {
    this.store = new PostgresIdentityStore(sql);
    this.environment = environment;
    this.addresses = addresses;
    this.#report = report;
    this.authenticator = new Authenticator({ store: this.store, environment, profile, report });
    this.registrations = new Registrations(this.store, environment, addresses, profile);
  }

  /** Resolves once revocations of other processes are heard. */
  async start(): Promise<void> {
    await this.authenticator.start();
    this.#tidyLater();
  }

  async stop(): Promise<void> {
    this.#cancelTidy?.();
    await this.authenticator.stop();
  }

  #tidyLater(): void {
    this.#cancelTidy = this.environment.after(tidyEveryMilliseconds, () => {
      this.store
        .tidy(new Date(this.environment.now()))
        .catch((error: unknown) => this.#report('drop old registration answers', error))
        .finally(() => this.#tidyLater());
    });
  }
}
