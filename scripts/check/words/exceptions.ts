/** A phrase that is right at its place. */
export interface WordException {
  readonly file: string;
  readonly phrase: string;
  readonly reason: string;
}

/** At most 100. */
export const EXCEPTIONS: readonly WordException[] = [
  {
    file: 'packages/triggers/src/sources/custom-resource.ts',
    phrase: 'be told',
    reason: 'contract-fixtures/triggers/custom-resource-foreign-host.json has this message',
  },
  {
    file: 'packages/triggers/src/sources/firehose.ts',
    phrase: 'comes twice',
    reason: 'contract-fixtures/triggers/firehose-repeated.json has this message',
  },
];
