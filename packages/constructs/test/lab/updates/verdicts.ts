/** Deploys an example, then each of its edits, then the example again, as a roll-back does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type Stack } from 'aws-cdk-lib/core';
import type { Inventory } from '../../../src/index.js';
import { Account, type Deployable } from '../deployment/account.js';
import { build, type Edit } from './edits.js';

/** The verdict on one edit. */
export interface EditVerdict {
  readonly edit: string;
  /** True if the template differs. */
  readonly changed: boolean;
  /** The error of the synthesis: nothing is deployed. */
  readonly refused?: string;
  /** Failures and losses of the update, and of the way back. */
  readonly problems: readonly string[];
}

/** Prints the verdicts on edits of an example as JSON. */
export function judgeEdits(
  name: string,
  make: (app: App, inventory: Inventory) => Stack,
  edits: readonly Edit[],
): void {
  process.env.CDK_VALIDATION = 'false';
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-updates-'));
  let count = 0;
  const templateOf = (edit: Edit): Deployable => {
    // Bundles do not matter here, and cost a second each.
    const app = new App({
      outdir: join(folder, String(++count)),
      analyticsReporting: false,
      context: { 'aws:cdk:bundling-stacks': [] },
    });
    build((inventory) => make(app, inventory), edit);
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
    const account = new Account();
    const steps = [base, template, base].map((one) => account.deploy(name, one));
    return {
      edit: edit.name,
      changed: JSON.stringify(template) !== JSON.stringify(base),
      problems: steps.flatMap(({ failure, lost }, step) =>
        [...(failure === undefined ? [] : [failure]), ...lost].map((one) => `${STEPS[step]}: ${one}`),
      ),
    };
  });
  rmSync(folder, { recursive: true });
  process.stdout.write(JSON.stringify({ verdicts, again: againAfterRemoval(name, base) }));
}

const STEPS = ['create', 'update', 'back'];

/** The stack can be removed and created again, although it leaves its data. */
function againAfterRemoval(name: string, base: Deployable): readonly string[] {
  const account = new Account();
  account.deploy(name, base);
  account.remove(name);
  const { failure } = account.deploy(name, base);
  return failure === undefined ? [] : [failure];
}
