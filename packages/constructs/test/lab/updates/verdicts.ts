/** Deploys a stack, then each of its edits, then the stack again, as a roll-back does. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib/core';
import { Account, type Deployable } from '../deployment/account.js';
import type { Edit } from './edits.js';

/** The verdict on one edit. */
interface EditVerdict {
  readonly edit: string;
  /** True if the template differs in more than the code. */
  readonly changed: boolean;
  /** The error of the synthesis: nothing is deployed. */
  readonly refused?: string;
  /** Failures and losses of the update, and of the way back; replaced mappings and subscriptions, and new ones of a renamed source. */
  readonly problems: readonly string[];
}

/** The verdicts on the edits of one stack. */
export interface Verdicts {
  readonly verdicts: readonly EditVerdict[];
  /** The failure of creating the stack again after its removal. */
  readonly again: readonly string[];
}

const STEPS = ['create', 'update', 'back'];
const DELIVERIES = ['AWS::Lambda::EventSourceMapping', 'AWS::SNS::Subscription'];

/** A template without the hashes of code, which differ for each application. */
const withoutCode = (template: Deployable) => JSON.stringify(template).replaceAll(/[0-9a-f]{32,64}/g, 'hash');

const deliveriesIn = ({ Resources }: Deployable) =>
  Object.entries(Resources).flatMap(([id, { Type }]) => (DELIVERIES.includes(Type) ? [id] : []));

/** Judges the edits of a stack; the first edit changes nothing. `make` adds the stack to the app, with a new folder for files. */
export function judgeEdits(
  name: string,
  make: (app: App, edit: Edit, folder: string) => void,
  edits: readonly Edit[],
): Verdicts {
  process.env.CDK_VALIDATION = 'false';
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-updates-'));
  let count = 0;
  const templateOf = (edit: Edit): Deployable => {
    const place = join(folder, String(++count));
    mkdirSync(place);
    const app = new App({ outdir: join(place, 'cdk.out'), analyticsReporting: false });
    make(app, edit, place);
    return app.synth().getStackByName(name).template as Deployable;
  };
  const [nothing, ...others] = edits as readonly [Edit, ...Edit[]];
  const base = templateOf(nothing);
  const verdicts = [nothing, ...others].map((edit): EditVerdict => {
    let template: Deployable;
    try {
      template = templateOf(edit);
    } catch (error) {
      return { edit: edit.name, changed: false, refused: (error as Error).message, problems: [] };
    }
    return {
      edit: edit.name,
      changed: withoutCode(template) !== withoutCode(base),
      problems: problemsOf(name, edit, base, template),
    };
  });
  rmSync(folder, { recursive: true });
  return { verdicts, again: againAfterRemoval(name, base) };
}

function problemsOf(name: string, edit: Edit, base: Deployable, template: Deployable): readonly string[] {
  const account = new Account();
  const steps = [base, template, base].map((one) => account.deploy(name, one));
  const before = deliveriesIn(base);
  const isRename = edit.name.startsWith('rename');
  const added = isRename ? deliveriesIn(template).filter((id) => !before.includes(id)) : [];
  return [
    ...added.map((id) => `update: ${id} is new`),
    ...steps.flatMap(({ failure, lost, replaced }, step) => {
      const again = replaced.filter((id) => before.includes(id)).map((id) => `${id} was replaced`);
      return [...(failure === undefined ? [] : [failure]), ...lost, ...again].map((one) => `${STEPS[step]}: ${one}`);
    }),
  ];
}

/** The stack can be removed and created again, although it leaves its data. */
function againAfterRemoval(name: string, base: Deployable): readonly string[] {
  const account = new Account();
  account.deploy(name, base);
  account.remove(name);
  const { failure } = account.deploy(name, base);
  return failure === undefined ? [] : [failure];
}
