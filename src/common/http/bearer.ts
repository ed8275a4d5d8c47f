/** The credential of an `Authorization: Bearer …` header, the word in any case; undefined where there is none. */
export function bearerCredential(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}
