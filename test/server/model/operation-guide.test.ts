import t from 'tap';

import { kindFamilies, operationGuide } from '../../../server/model/operation-guide.ts';
import type { SubmittedKind } from '../../../server/model/operation-guide.ts';
import { operationKinds, operationSchema } from '../../../server/model/operation.ts';

const kinds = Object.keys(operationGuide) as SubmittedKind[];

t.test('every kind that clients submit is explained once', async (t) => {
  const ofRoutes = new Set(['policy.set', 'commit', 'merge']);
  const submitted = operationKinds.filter((kind) => !ofRoutes.has(kind));
  t.same(kinds.toSorted(), submitted.toSorted());
  t.same(kindFamilies.flatMap((family) => family.kinds).toSorted(), kinds.toSorted());
  for (const kind of kinds) t.match(operationGuide[kind].does, /^[A-Z].*\.$/, kind);
});

t.test('every example meets the schema of its kind', async (t) => {
  for (const kind of kinds) {
    const payload = operationGuide[kind].example;
    const { success, error } = operationSchema.safeParse({ kind, payload });
    t.ok(success, `${kind}: ${error?.message ?? ''}`);
  }
});
