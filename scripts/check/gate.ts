/** One rule for the whole workspace. */
export interface Gate {
  readonly name: string;
  /** What the gate demands, in a few words. */
  readonly demands: string;
  /** Names of gates whose work this one reads. It starts when they have ended, however they ended. */
  readonly after?: readonly string[];
  /**
   * The findings; empty when the gate holds.
   *
   * @param note prints a measured figure below the gate's line, whether or not it holds
   */
  run(note: (figure: string) => void): Promise<readonly string[]>;
}
