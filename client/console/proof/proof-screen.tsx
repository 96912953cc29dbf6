import { useEffect, useState } from 'preact/hooks';

import type { Screen } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded, type Loaded } from '../shell/loaded.ts';
import { Waiting } from '../shell/waiting.tsx';
import { ScreenLink } from '../shell/link.tsx';
import type { StatementKind } from '../../../server/tlog/leaf/statement.ts';
import { canCheck, checkProof, entryText, type Expected, type Step } from './check.ts';
import { CannotCheck, Steps, Trust } from './steps.tsx';

interface ProofList {
  readonly proofs?: readonly Entry[];
}

/** An entry of the log about a position. */
interface Entry {
  readonly name: string;
  readonly kind: StatementKind;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Null while no signed checkpoint has the entry. */
  readonly proof: string | null;
}

type ProofAddress = Extract<Screen, { name: 'proof' }>;

/** Screen of the proof of an operation, which the browser checks without the service. */
export default function ProofScreen({ screen }: { screen: ProofAddress }) {
  const { service } = useShell();
  const { book } = screen;
  const [file, setFile] = useState<string>();
  const [ownPolicy, setOwnPolicy] = useState<string>();
  const ability = useLoaded(canCheck, []);
  const policy = useLoaded((signal) => service.askText('/v1/tlog/policy', { signal }), []);
  const asked = useAsked(screen);
  const entries = useEntries(book, screen.branch, asked.value?.seq);
  const entry = entries.find(({ name }) => name === screen.entry);
  const proof = file ?? proofOf(screen, asked.value, entry);
  const policyText = ownPolicy ?? policy.value;
  const expected = file === undefined ? expectedOf(book, asked.value, entry) : undefined;
  const steps = useSteps(ability.value === true, { proof, policyText, expected });
  return (
    <main
      class="page wide"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void event.dataTransfer?.files[0]?.text().then(setFile);
      }}
    >
      <h1>Proof</h1>
      <Choice screen={screen} head={asked.value?.seq} onFile={setFile} />
      <Entries
        {...{ screen, entries }}
        isFile={file !== undefined}
        onPick={() => setFile(undefined)}
      />
      <Obstacles asked={asked} policy={policy} isAble={ability.value} proof={proof} />
      {steps && <Checks steps={steps} isOwnPolicy={ownPolicy !== undefined} />}
      <Trust text={policyText ?? ''} onChange={setOwnPolicy} />
      {proof !== undefined && <Kept proof={proof} />}
      <p>
        <ScreenLink to={{ name: 'log' }}>The log itself</ScreenLink> has its newest checkpoint, and
        shows whether it goes on from what you saw.
      </p>
    </main>
  );
}

/** Returns the proof of the operation or of the entry that the address names. */
function proofOf(
  { entry: named }: ProofAddress,
  asked: Asked | undefined,
  entry: Entry | undefined,
): string | undefined {
  return named === undefined ? asked?.proof : (entry?.proof ?? undefined);
}

interface Asked {
  readonly seq: number;
  /** Proof file; undefined until a signed checkpoint has the operation. */
  readonly proof: string | undefined;
}

function useAsked({ book, branch, seq }: ProofAddress): Loaded<Asked> {
  const { service } = useShell();
  const path = `/v1/workbooks/${book}`;
  return useLoaded(
    async (signal) => {
      const statePath = `${path}/branches/${encodeURIComponent(branch)}/state`;
      const state = await service.ask<{ head: number }>(statePath, { signal });
      const wanted = seq ?? state.head;
      const query = new URLSearchParams({ branch, seq: String(wanted), format: 'json' });
      const list = await service.ask<ProofList>(`${path}/proofs?${query}`, { signal });
      return { seq: wanted, proof: list.proofs?.[0]?.proof ?? undefined };
    },
    [book, branch, seq],
  );
}

/** Loads the entries of the log that are about one position, besides the proof of its operation. */
function useEntries(book: string, branch: string, seq: number | undefined): readonly Entry[] {
  const { service } = useShell();
  const { value } = useLoaded(
    async (signal) => {
      if (seq === undefined) return undefined;
      const at = String(seq);
      const query = new URLSearchParams({ branch, from: at, to: at, format: 'json' });
      const path = `/v1/workbooks/${book}/proofs?${query}`;
      return service.ask<ProofList>(path, { signal });
    },
    [book, branch, seq],
  );
  return value?.proofs ?? [];
}

interface EntryParts {
  readonly screen: ProofAddress;
  readonly entries: readonly Entry[];
  readonly isFile: boolean;
  /** Called when the operation or an entry is asked for, in the place of a file. */
  readonly onPick: () => void;
}

/** Everything that the log has about a position: its operation, a commit, a merge, an approval. */
function Entries({ screen: { entry: named, ...place }, ...parts }: EntryParts) {
  const { entries, isFile, onPick } = parts;
  if (entries.length === 0) return null;
  const current = isFile ? undefined : (named ?? '');
  return (
    <nav class="places" aria-label="Entries of the log" onClick={onPick}>
      <ScreenLink to={place} isCurrent={current === ''}>
        The operation
      </ScreenLink>
      {entries.map((one) => (
        <ScreenLink
          key={one.name}
          to={{ ...place, seq: one.lastSeq, entry: one.name }}
          isCurrent={current === one.name}
        >
          {entryText(one)}
        </ScreenLink>
      ))}
    </nav>
  );
}

/**
 * Returns what is expected of the proof; for a workbook with an owner's name only the proof has the
 * id.
 */
function expectedOf(
  book: string,
  asked: Asked | undefined,
  entry: Entry | undefined,
): Expected | undefined {
  if (!asked) return undefined;
  const ofBook = book.startsWith('wb_') && { workbook: book };
  return { ...(entry ? { entry } : { seq: asked.seq }), ...ofBook };
}

interface Checkable {
  readonly proof: string | undefined;
  readonly policyText: string | undefined;
  readonly expected: Expected | undefined;
}

function useSteps(isAble: boolean, { proof, policyText, expected }: Checkable) {
  const [steps, setSteps] = useState<readonly Step[]>();
  useEffect(() => {
    let isCurrent = true;
    const check = async () => {
      setSteps(undefined);
      if (!isAble || proof === undefined || policyText === undefined) return;
      const found = await checkProof(proof, policyText, expected);
      if (isCurrent) setSteps(found);
    };
    void check();
    return () => {
      isCurrent = false;
    };
  }, [isAble, proof, policyText, expected?.seq, expected?.entry]);
  return steps;
}

interface ObstacleParts {
  readonly asked: Loaded<Asked>;
  readonly policy: Loaded<string>;
  readonly isAble: boolean | undefined;
  readonly proof: string | undefined;
}

/** Shows why nothing can be checked, and what to do. */
function Obstacles({ asked, policy, isAble, proof }: ObstacleParts) {
  return (
    <>
      {asked.error && <Fault error={asked.error} again={asked.again} />}
      {policy.error && <Fault error={policy.error} again={policy.again} />}
      {isAble !== false && !asked.value && !asked.error && (
        <Waiting label="Looking for the proof…" lines={6} />
      )}
      {isAble === false && <CannotCheck />}
      {asked.value && proof === undefined && <NotYet again={asked.again} />}
    </>
  );
}

function NotYet({ again }: { again: () => void }) {
  return (
    <p role="status">
      The operation is in no signed checkpoint yet; that takes about a second.{' '}
      <button type="button" onClick={again}>
        Look again
      </button>
    </p>
  );
}

interface ChoiceParts {
  readonly screen: ProofAddress;
  readonly head: number | undefined;
  readonly onFile: (text: string | undefined) => void;
}

function Choice({ screen, head, onFile }: ChoiceParts) {
  const { go } = useShell();
  const [seq, setSeq] = useState<string>();
  const submit = (event: Event) => {
    event.preventDefault();
    onFile(undefined);
    const { entry: _entry, ...place } = screen;
    go({ ...place, seq: Number(seq ?? head) });
  };
  const take = (file: File | undefined) => void file?.text().then(onFile);
  return (
    <form class="actions" onSubmit={submit}>
      <label>
        Operation of {screen.branch}
        <input
          type="number"
          min="1"
          value={seq ?? head ?? ''}
          onInput={(event) => setSeq(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="main">
        Check
      </button>
      <label>
        Or a file, which can be dropped here
        <input
          type="file"
          accept=".tlog-proof"
          onChange={(event) => take(event.currentTarget.files?.[0])}
        />
      </label>
    </form>
  );
}

function Checks({ steps, isOwnPolicy }: { steps: readonly Step[]; isOwnPolicy: boolean }) {
  const isProven = steps.every(({ isGood }) => isGood);
  return (
    <section aria-labelledby="checked">
      <h2 id="checked">{isProven ? 'Checked by your browser' : 'This proof does not hold'}</h2>
      <Steps steps={steps} />
      {isProven ? (
        <p>
          It was written and is in the log that the keys below have signed. Nobody can change it or
          take it away without the log contradicting this proof. It does not prove that what was
          written is right
          {isOwnPolicy
            ? '.'
            : ', and the keys came from this service: paste keys that you got in another way to depend on nobody.'}
        </p>
      ) : (
        <p role="alert">
          Believe nothing that depends on it: keep the file, and show it to whoever runs the service
          and to a witness of the log.
        </p>
      )}
    </section>
  );
}

/** Offers the proof as a file, which can be checked without this service. */
function Kept({ proof }: { proof: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([proof], { type: 'text/plain' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [proof]);
  if (address === undefined) return null;
  return (
    <p>
      <a href={address} download="operation.tlog-proof">
        Keep the proof as a file
      </a>
    </p>
  );
}
