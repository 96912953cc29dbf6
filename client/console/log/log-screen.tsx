import { useEffect, useState } from 'preact/hooks';

import { encodeBase64 } from '../../../server/tlog/encoding/base64.ts';
import { canCheck } from '../proof/check.ts';
import { CannotCheck, Steps, Trust } from '../proof/steps.tsx';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded, type Loaded } from '../shell/loaded.ts';
import { RelativeTime } from '../shell/relative-time.tsx';
import { Waiting } from '../shell/waiting.tsx';
import { saveFile } from '../shell/save-file.ts';
import { checkLog, claimOf, type LogCheck, type Signer } from './check-log.ts';
import { keepCheckpoint, seenCheckpoint } from './seen-checkpoint.ts';

interface Looked {
  readonly note: string;
  readonly policyText: string;
  readonly origin: string;
  readonly seen: string | undefined;
  /** True where it names fewer entries than were seen. */
  readonly isBehind: boolean;
  readonly publishedAt: string | null;
}

/** Screen of the log of all workbooks: its newest checkpoint, which the browser checks. */
export default function LogScreen() {
  const [ownPolicy, setOwnPolicy] = useState<string>();
  const ability = useLoaded(canCheck, []);
  const looked = useLook();
  const policyText = ownPolicy ?? looked.value?.policyText;
  const check = useCheck(ability.value === true, looked.value, policyText);
  const startAnew = () => {
    if (!looked.value) return;
    keepCheckpoint(looked.value.origin, looked.value.note);
    looked.again();
  };
  return (
    <main class="page wide">
      <h1>Transparency log</h1>
      <p>
        Every change of every workbook is noted in one log that can only grow. Your browser checks
        here that its newest checkpoint is signed, and that it holds all that it held when you
        looked last.
      </p>
      <Found {...{ looked, check }} isAble={ability.value} onAnew={startAnew} />
      <p>
        <button type="button" onClick={looked.again}>
          Look again
        </button>
      </p>
      <Trust text={policyText ?? ''} onChange={setOwnPolicy} />
    </main>
  );
}

interface FoundParts {
  readonly looked: Loaded<Looked>;
  /** Undefined until the browser has checked it. */
  readonly check: LogCheck | undefined;
  readonly isAble: boolean | undefined;
  readonly onAnew: () => void;
}

/** Everything that the browser found, or why it has found nothing. */
function Found({ looked: { value, error, again }, check, isAble, onAnew }: FoundParts) {
  if (error) return <Fault error={error} again={again} />;
  if (isAble === false) return <CannotCheck />;
  if (!check || !value) return <Waiting label="Looking at the log…" lines={6} />;
  return (
    <>
      {!isGood(check) && <Refusal check={check} looked={value} onAnew={onAnew} />}
      <Result check={check} looked={value} />
    </>
  );
}

interface Status {
  readonly published_at: string | null;
}

/** Time in which every process of a service has heard of a checkpoint that one of them served. */
const behindMs = 2_000;

function useLook() {
  const { service } = useShell();
  return useLoaded<Looked>(async (signal) => {
    const look = async (): Promise<Looked> => {
      const [note, policyText, status] = await Promise.all([
        service.askText('/v1/tlog/checkpoint', { signal }),
        service.askText('/v1/tlog/policy', { signal }),
        service.ask<Status>('/v1/tlog/status', { signal }),
      ]);
      const { origin, size } = claimOf(note);
      const seen = seenCheckpoint(origin);
      const isBehind = seen !== undefined && claimOf(seen).size > size;
      return { note, policyText, origin, seen, isBehind, publishedAt: status.published_at };
    };
    const first = await look();
    if (!first.isBehind) return first;
    await new Promise((resolve) => setTimeout(resolve, behindMs));
    return look();
  }, []);
}

/** Checks what was looked at; a checkpoint that is right is the one to compare with from then on. */
function useCheck(isAble: boolean, looked: Looked | undefined, policyText: string | undefined) {
  const { service } = useShell();
  const [check, setCheck] = useState<LogCheck>();
  useEffect(() => {
    let isCurrent = true;
    const run = async () => {
      setCheck(undefined);
      if (!isAble || looked === undefined || policyText === undefined) return;
      const prove = async (from: number, to: number) => {
        const path = `/v1/tlog/consistency?from=${from}&to=${to}`;
        return (await service.ask<{ readonly hashes: readonly string[] }>(path)).hashes;
      };
      const found = await checkLog({ ...looked, policyText, prove });
      if (!isCurrent) return;
      if (isGood(found)) keepCheckpoint(looked.origin, looked.note);
      setCheck(found);
    };
    void run();
    return () => {
      isCurrent = false;
    };
  }, [isAble, looked, policyText]);
  return check;
}

function Result({ check, looked }: { readonly check: LogCheck; readonly looked: Looked }) {
  const { steps, checkpoint, signers } = check;
  return (
    <section aria-labelledby="checked">
      <h2 id="checked">{isGood(check) ? 'Checked by your browser' : 'What was checked'}</h2>
      <Steps steps={steps} />
      {checkpoint && (
        <dl class="facts">
          <dt>Log</dt>
          <dd>{checkpoint.origin}</dd>
          <dt>Entries</dt>
          <dd>{checkpoint.size.toLocaleString()}</dd>
          <dt>Root</dt>
          <dd class="hash">{encodeBase64(checkpoint.root)}</dd>
          <dt>Published, as the service says</dt>
          <dd>{looked.publishedAt ? <RelativeTime at={looked.publishedAt} /> : 'not yet'}</dd>
        </dl>
      )}
      {signers.length > 0 && <Signers signers={signers} />}
    </section>
  );
}

function Signers({ signers }: { readonly signers: readonly Signer[] }) {
  return (
    <>
      <h2>Signatures</h2>
      <ul class="list" aria-label="Signatures">
        {signers.map((signer) => (
          <li key={signer.name}>
            <strong>{signer.name}</strong>, {signer.isWitness ? 'a witness' : 'the log itself'}:{' '}
            {signer.hasSigned ? 'signed, checked by your browser' : 'has not signed this one'}
            {signer.signedAt !== undefined && (
              <>
                , <RelativeTime at={signer.signedAt} />
              </>
            )}
          </li>
        ))}
      </ul>
      {signers.every(({ isWitness }) => !isWitness) && (
        <p>
          No witness is named: others who look could be shown another log. Compare the root with
          theirs.
        </p>
      )}
    </>
  );
}

interface RefusalParts {
  readonly check: LogCheck;
  readonly looked: Looked;
  readonly onAnew: () => void;
}

/** Shows what to do about a log that is not right; nothing that was seen is replaced unasked. */
function Refusal({ check, looked: { note, seen, origin }, onAnew }: RefusalParts) {
  const { isContradicted } = check;
  const keep = () => {
    const notes = [seen, note].filter((one) => one !== undefined);
    saveFile(new Blob([notes.join('\n')], { type: 'text/plain' }), 'checkpoints.txt');
  };
  return (
    <section role="alert" class="banner alarm">
      <h2>This log is not to be believed</h2>
      <p>
        {isContradicted
          ? `${origin} has signed two checkpoints that exclude each other, or does not prove that they agree.`
          : `The newest checkpoint of ${origin} is not signed as the policy wants it.`}{' '}
        Keep what was seen as a file, and show it to a witness and to whoever runs the service. This
        browser goes on comparing with what it saw first.
      </p>
      <div class="actions">
        <button type="button" class="main" onClick={keep}>
          Keep as a file
        </button>
        {isContradicted && (
          <button type="button" class="second" onClick={onAnew}>
            Begin anew with this log
          </button>
        )}
      </div>
    </section>
  );
}

function isGood({ steps }: LogCheck): boolean {
  return steps.every((step) => step.isGood);
}
