/** One rule for the whole workspace. */
export interface Gate {
  readonly name: string;
  /** The rule of the gate, in a few words. */
  readonly demands: string;
  /** Names of gates whose output this one reads. It starts after they have finished or failed. */
  readonly after?: readonly string[];
  /**
   * The findings; empty if the gate passes.
   *
   * @param note prints a measured figure below the gate's line, even if it passes
   */
  run(note: (figure: string) => void): Promise<readonly string[]>;
}
