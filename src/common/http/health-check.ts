/** True for what machines ask every few seconds: whether the server lives and is ready. A query may follow the path. */
export function isHealthCheck(url: string): boolean {
  return /^\/health\/(?:live|ready)\/?(?:\?|$)/i.test(url);
}
