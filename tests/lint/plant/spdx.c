/* finds: no SPDX line */
int planted;
