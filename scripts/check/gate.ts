/** One rule for the whole workspace. */
export interface Gate {
  readonly name: string;
  /** The rule of the gate, in a few words. */
  readonly demands: string;
  /** Names of gates whose output this one reads. It starts when they have ended, also after a failure. */
  readonly after?: readonly string[];
  /**
   * The findings; empty when the gate holds.
   *
   * @param note prints a measured figure below the gate's line, whether or not it holds
   */
  run(note: (figure: string) => void): Promise<readonly string[]>;
}
