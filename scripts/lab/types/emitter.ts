import { type DescribedService, toContract, toTypes } from '../../../packages/contract/src/service.js';

const of = (json: object) => ({ 'schema:': { input: { json }, output: { json } } }) as const;
const note = (n: number) =>
  of({
    type: 'object',
    properties: {
      id: { type: 'string', format: 'uuid' },
      title: { type: 'string', minLength: 1, maxLength: 200, description: 'Shown in lists.' },
      [`count${n}`]: { type: 'integer', minimum: 0 },
      tags: { type: 'array', items: { enum: ['draft', 'done', null] } },
      author: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
    required: ['id', 'title', `count${n}`],
  });

/**
 * The CPU time from the description of a loaded service of so many routes to the text of `contract.d.ts`, in a process that has done nothing of it
 * before: what `sallyport types` takes beyond loading the service.
 *
 * @returns milliseconds
 */
export function typesCpu(routes: number): number {
  const service: DescribedService = {
    function: 'src/lambda.ts',
    triggers: [],
    sends: {},
    routes: Array.from({ length: routes }, (_, n) => ({
      surface: 'http',
      method: n % 2 ? 'PUT' : 'GET',
      path: `/notes${n}/{id}`,
      posture: 'authenticated',
      states: {
        contract: { response: note(n), errors: { 404: 'app.not_found' }, ...(n % 2 && { body: note(n) }) },
        summary: `Reads note ${n}.`,
      },
    })),
  };
  const before = process.cpuUsage();
  const text = toTypes(toContract('notes', [service]));
  const { user, system } = process.cpuUsage(before);
  if (text.split("/{id}'").length <= routes) throw new Error('the types lack a route');
  return (user + system) / 1000;
}
