import type { ServiceContract } from '@sallyport/contract/service';
import type { Around } from '../../internal/command.js';
import type { CommandLine } from '../../internal/command-line.js';
import { invalidUsage } from '../../internal/errors.js';
import { contractsAt } from './against.js';
import { contractOfProject } from './service-contract.js';

/** The contract of the functions, or of the file that `--new` names. @throws FrameworkError `cli.usage`, `bundle.failed` */
export async function newContract(
  entries: readonly string[],
  line: CommandLine,
  around: Around,
): Promise<ServiceContract> {
  const file = line.text('new');
  if (file === undefined) return contractOfProject(around.cwd, entries, line);
  if (entries.length > 0) throw invalidUsage('pass --new or the files of functions, not both');
  const [found] = await contractsAt(file, line, around);
  if (!found) throw invalidUsage(`${file} has no contract.json`);
  return found.contract;
}
