import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ofTrigger } from '../../../packages/constructs/src/wiring/internal/registrations.js';
import { TRIGGER_KINDS } from '../../../packages/core/src/index.js';
import { formsOf } from '../../../packages/local/src/internal/send/forms.js';
import { triggers } from '../../../packages/testkit/src/simulate/trigger-source.js';
import { ENTRIES, exportedNames, KINDS } from '../../docs/trigger-files.js';
import { ROOT } from '../command.js';
import type { Gate } from '../gate.js';
import { findTriggerFaults, type TriggerFacts } from '../trigger-rules.js';

export const triggersGate: Gate = {
  name: 'triggers',
  demands:
    'every trigger has a builder, a sample, a section, a README row and a fixture, a form in the console, and names constructs and simulations that exist',
  run: async () => findTriggerFaults(readTriggerFacts()),
};

/** The facts about the triggers of this repository. */
function readTriggerFacts(): TriggerFacts {
  return {
    kinds: KINDS,
    catalogue: ENTRIES,
    fixed: TRIGGER_KINDS,
    page: readFileSync(join(ROOT, 'docs/triggers.md'), 'utf8'),
    exported: exportedNames(),
    surfaces: registeredSurfaces(),
    wiringOf: (kind) => /^wiring\.(\w+)\(/.exec(ofTrigger({ kind, name: kind }).remedy)?.[1],
    sources: Object.keys(triggers),
    forms: formsOf({ routes: [], triggers: [] } as never, []).flatMap(({ kind, fields }) =>
      fields.some(({ sample = '{}' }) => Object.keys(JSON.parse(sample)).length > 0) ? [kind] : [],
    ),
  };
}

function registeredSurfaces(): ReadonlySet<string> {
  const folder = join(ROOT, 'contract-fixtures/triggers');
  if (!existsSync(folder)) return new Set();
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(/"surface": "([^"]+)"/g)].map(([, name = '']) => name)));
}
