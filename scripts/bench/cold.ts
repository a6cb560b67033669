export interface ColdRow {
  readonly name: string;
}
export async function measureCold(_rounds: number): Promise<readonly ColdRow[]> {
  return [];
}
export function formatCold(_rows: readonly ColdRow[]): string {
  return '';
}
