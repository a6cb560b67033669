// What loads on first use, so that a function parses only what it serves with.

let queue: Promise<unknown> = Promise.resolve();

/** Loads a part once. Parts load one after the other: module loaders of test runners do not take two at a time. */
function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    if (loaded) return loaded;
    const loading = queue.then(load, load);
    queue = loading;
    loading.catch(() => {
      loaded = undefined;
    });
    loaded = loading;
    return loading;
  };
}

/** Each era loads with its first message: most functions see one of them. */
export const loadSessionEra = lazily(() => import('../../session/internal/session-era.js'));
export const loadStatelessEra = lazily(() => import('../../stateless/internal/stateless-era.js'));
/** Servers without sessions need none of these. */
export const loadSessions = lazily(() => import('../../session/internal/session.js'));
export const loadSessionStream = lazily(() => import('../../session/internal/session-stream.js'));
/** What only sessions with a store need. */
export const loadDurable = lazily(() => import('../../session/internal/durable.js'));
/** What only calls that ask need. */
export const loadRetries = lazily(() => import('../../stateless/internal/request-state.js'));
export const loadAnswerCheck = lazily(() => import('../../run/internal/check-answer.js'));
export const loadCompletion = lazily(() => import('../../methods/internal/completion.js'));
export const loadSubscriptions = lazily(() => import('../../methods/internal/subscriptions.js'));
export const loadChangeFeed = lazily(() => import('../../methods/internal/change-feed.js'));
/** Doors that stream. */
export const loadLiveBody = lazily(() => import('../../run/internal/live-body.js'));
export const loadSchemaCheck = lazily(() => import('../../run/internal/check-schema.js'));
export const loadSchemaLibrary = lazily(() => import('@cfworker/json-schema'));
export const loadSeal = lazily(() => import('../../store/internal/seal.js'));
