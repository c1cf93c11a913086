/* The stable name of the hardware behind a device. */
#include "agent/platform/linux_identity.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent/platform/linux_loop.h"
#include "agent/platform/linux_twins.h"
#include "agent/platform/linux_sysfs.h"
#include "agent/platform/posix.h"

#define TEXT_SIZE HARDWARE_NAME_SIZE

/* Vendors pad with blanks, zeros and worse: blanks in between become one '_', and what has no
 * letter or digit other than 0 names nothing. */
static bool clean(char *text)
{
	char *to = text;
	bool says = false;

	for (const char *from = text; *from; from++) {
		unsigned char c = (unsigned char)*from;
		if (c > ' ' && c < 0x7f) {
			*to++ = (char)c;
			says |= isalnum(c) && c != '0';
		} else if (to > text && to[-1] != '_') {
			*to++ = '_';
		}
	}
	while (to > text && to[-1] == '_')
		to--;
	*to = '\0';
	return says;
}

/* What udev found out: lines E:KEY=VALUE. */
static bool udev_value(const char *name, const char *key, char text[TEXT_SIZE])
{
	char path[64], whole[1024], line[1024];
	size_t length = strlen(key);
	dev_t device;
	bool found = false;

	if (!sysfs_device(name, &device))
		return false;
	snprintf(path, sizeof(path), "/run/udev/data/b%u:%u", major(device), minor(device));
	FILE *file = sysfs_path(whole, sizeof(whole), path) ? fopen(whole, "re") : NULL;
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = strncmp(line, "E:", 2) == 0 && strncmp(line + 2, key, length) == 0 &&
			line[2 + length] == '=' && posix_copy(text, TEXT_SIZE, line + 3 + length);
	fclose(file);
	return found && clean(text);
}

static bool sysfs_value(const char *name, const char *file, char text[TEXT_SIZE])
{
	return sysfs_text(text, TEXT_SIZE, "/sys/class/block/%s/%s", name, file) && clean(text);
}

/* SCSI's page 0x80 is bytes: a header of four, then the serial number. */
static bool page_serial(const char *disk, char text[TEXT_SIZE])
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/block/%s/device/vpd_pg80", disk);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t length = pread(fd, text, TEXT_SIZE - 1, 4);
	close(fd);
	if (length <= 0)
		return false;
	text[length] = '\0';
	return clean(text);
}

/* What the hardware itself says, and no other hardware does: not what udev derives, which can be
 * an array's for all of its volumes. */
bool hardware_name(const char *disk, char text[HARDWARE_NAME_SIZE])
{
	return sysfs_value(disk, "device/wwid", text) || sysfs_value(disk, "wwid", text) ||
	       sysfs_value(disk, "nguid", text) || sysfs_value(disk, "serial", text) ||
	       sysfs_value(disk, "device/serial", text) || page_serial(disk, text);
}

/* Begins as a World Wide Name does. SCSI's t10.* and NVMe's nvme.* are put together from a serial
 * number, but are as unique. */
static bool find_wwn(const char *disk, char text[TEXT_SIZE])
{
	/* ID_WWN alone is the array's for all of its volumes (both of a PERC's); it comes last. */
	return sysfs_value(disk, "device/wwid", text) || sysfs_value(disk, "wwid", text) ||
	       sysfs_value(disk, "nguid", text) ||
	       udev_value(disk, "ID_WWN_WITH_EXTENSION", text) || udev_value(disk, "ID_WWN", text);
}

static bool find_serial(const char *disk, char text[TEXT_SIZE])
{
	return sysfs_value(disk, "serial", text) || sysfs_value(disk, "device/serial", text) ||
	       page_serial(disk, text) || udev_value(disk, "ID_SERIAL", text) ||
	       udev_value(disk, "ID_SERIAL_SHORT", text);
}

static bool find_loop(const char *disk, char *identity, size_t size)
{
	struct loop loop;

	/* Without the ioctl's answer the path alone would stand for another file tomorrow. */
	if (!loop_find(disk, &loop) || loop.inode == 0)
		return false;
	int length = snprintf(identity, size, "loop:%s:%" PRIu64 ":%" PRIu64, loop.path,
			      (uint64_t)loop.device, loop.inode);
	/* Two devices over parts of one file are two devices. */
	if (length > 0 && (size_t)length < size && (loop.offset || loop.limit))
		length += snprintf(identity + length, size - (size_t)length,
				   ":%" PRIu64 "+%" PRIu64, loop.offset, loop.limit);
	return length > 0 && (size_t)length < size;
}

/* Good until the device goes: the kernel never gives out a sequence number twice, but begins anew
 * at each boot, in the order in which it finds disks. */
static bool find_sequence(const char *disk, char *identity, size_t size)
{
	uint64_t number;
	char boot[64];

	if (!sysfs_number(&number, "/sys/class/block/%s/diskseq", disk) || number == 0 ||
	    !sysfs_text(boot, sizeof(boot), "/proc/sys/kernel/random/boot_id"))
		return false;
	snprintf(identity, size, "%s:diskseq:%" PRIu64 ":%.8s", disk, number, boot);
	return true;
}

static bool find_disk(const char *disk, char *identity, size_t size)
{
	char text[TEXT_SIZE];

	if (find_wwn(disk, text))
		snprintf(identity, size, "wwn:%s", text);
	else if (find_serial(disk, text))
		snprintf(identity, size, "serial:%s", text);
	else if (sysfs_value(disk, "dm/uuid", text))
		snprintf(identity, size, "dm:%s", text);
	else if (sysfs_value(disk, "md/uuid", text) || udev_value(disk, "MD_UUID", text))
		snprintf(identity, size, "md:%s", text);
	else
		return find_loop(disk, identity, size) || find_sequence(disk, identity, size);
	return true;
}

#define PART_SIZE 72

/* Tables are made anew: the number alone would stand for another region of the disk. sysfs counts
 * in sectors of 512 bytes, whatever the disk's own are. */
static bool find_part(const char *name, char text[PART_SIZE])
{
	uint64_t number, start, sectors;

	if (!sysfs_number(&number, "/sys/class/block/%s/partition", name) ||
	    !sysfs_number(&start, "/sys/class/block/%s/start", name) ||
	    !sysfs_number(&sectors, "/sys/class/block/%s/size", name))
		return false;
	snprintf(text, PART_SIZE, "-part%" PRIu64 ":%" PRIu64 "+%" PRIu64, number, start * 512,
		 sectors * 512);
	return true;
}

bool identity_of(const char *name, char identity[PLATFORM_IDENTITY_SIZE])
{
	char disk[PLATFORM_DEVICE_NAME], part[PART_SIZE] = "";
	bool partition = sysfs_disk(name, disk);

	if ((partition && !find_part(name, part)) ||
	    !find_disk(partition ? disk : name, identity, PLATFORM_IDENTITY_SIZE - PART_SIZE)) {
		identity[0] = '\0';
		return false;
	}
	strcat(identity, part);
	return true;
}

bool platform_identity(int fd, const char *path, char identity[PLATFORM_IDENTITY_SIZE])
{
	char name[PLATFORM_DEVICE_NAME];
	struct stat st;

	(void)path;
	identity[0] = '\0';
	return fstat(fd, &st) == 0 && S_ISBLK(st.st_mode) && sysfs_name(st.st_rdev, name) &&
	       identity_of(name, identity);
}
