/** The User-Agent of the command line, so that a decision records how it was made. */
export const CLI_AGENT = "nightshift-cli";
