/** A finding for the log of a build. */
export interface BundleWarning {
  /**
   * `not_split`: the code is in one file despite `splitting`. `no_start_cache`: there is no cache. `start_cache`: a finding of its maker.
   * `nothing_left_out`: the registrations of the application cannot be read. `not_a_container`: the handler does not describe its registrations.
   */
  readonly code: 'not_split' | 'no_start_cache' | 'start_cache' | 'nothing_left_out' | 'not_a_container';
  /** A clause without a full stop. */
  readonly reason: string;
}
