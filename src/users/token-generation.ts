/** The part of a user that says which tokens are good. */
interface TokenHolder {
  readonly tokenGeneration?: number;
}

/** The generation of a user's tokens; those of another one are refused. */
export function tokenGenerationOf({ tokenGeneration = 0 }: TokenHolder): number {
  return tokenGeneration;
}

/** The field to store with a change after which all tokens of before are dead for good. */
export function endingTokens(user: TokenHolder): { readonly tokenGeneration: number } {
  return { tokenGeneration: tokenGenerationOf(user) + 1 };
}
