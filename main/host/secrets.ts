// What a trace must never hold although a command line does: the password in an address.

const PASSWORD = /\b([a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:)[^\s/@]+@/gi;

/** A text with the passwords of all addresses in it replaced by `***`. */
export const masked = (text: string): string => text.replace(PASSWORD, '$1***@');
