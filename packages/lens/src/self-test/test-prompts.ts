/** Words that come twice, so that one token has two contexts. The mark keeps the prompt apart from everybody's. */
export const sentence = (mark: string): string =>
  `Note ${mark}: the city of Rome is in Italy, the city of Oslo is in Norway, and the city of Lima is in`;

/** Six letters and digits. */
export const mark = (): string => crypto.randomUUID().slice(0, 6);
