/* xml.h - any bytes as text that XML 1.0 can hold. */
#ifndef MUSTER_CONTROLLER_REPORT_XML_H
#define MUSTER_CONTROLLER_REPORT_XML_H

#include <stdio.h>

/* For content and for attributes in double quotes. Bytes that are not UTF-8, and characters that
 * no XML document may contain (most control characters, U+FFFE, U+FFFF), become U+FFFD; line ends
 * and tabs are kept as references, so that a reader gets them back from attributes too. NULL: "".
 */
void xml_print(FILE *file, const char *text);

/* ` name="text"` */
void xml_attribute(FILE *file, const char *name, const char *text);

#endif
