/* What is kept of an order. The name 'acme.order' in this comment and in the text below is no key of a context. */
export const table = process.env.FRAMEWORK_JOBS_TABLE_NAME ?? process.env['FRAMEWORK_JOBS_TABLE_NAME'] ?? 'orders';
export const topic = 'acme.order';

const rows = new Map<string, unknown>();

export async function find(customer: string | undefined): Promise<unknown[]> {
  return [...rows.values()].filter((row) => customer === undefined || (row as { customer?: string }).customer === customer);
}

export async function save(id: string, row: unknown): Promise<unknown> {
  rows.set(id, row);
  return row;
}
