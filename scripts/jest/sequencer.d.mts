/** The files that run longest. */
export const LONG: readonly string[];

/** Jest's order, after the files of {@link LONG}. */
export default class LongFilesFirst {
  constructor(options: object);
  sort<T>(tests: readonly T[]): Promise<readonly T[]>;
}
