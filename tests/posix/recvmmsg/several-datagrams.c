// SPDX-License-Identifier: BSD-2-Clause
// sendmmsg sends several datagrams; recvmmsg waits for the first and takes what there is.
#include "../harness.h"

static int s[2];

static void *body(void *arg UNUSED)
{
	char buf[4][16];
	struct iovec v[4];
	struct mmsghdr m[4] = { 0 };
	int got = 0, n;

	for (int i = 0; i < 4; i++) {
		v[i] = (struct iovec){ buf[i], sizeof buf[i] };
		m[i].msg_hdr.msg_iov = &v[i];
		m[i].msg_hdr.msg_iovlen = 1;
	}
	while (got < 4) {
		n = recvmmsg(s[0], m, (unsigned int)(4 - got), MSG_WAITFORONE, NULL);
		CHECK(n > 0);
		for (int i = 0; i < n; i++, got++) {
			CHECK_EQ(m[i].msg_len, got + 1);
			CHECK_EQ(buf[i][0], 'a' + got);
		}
	}
	return NULL;
}

int main(void)
{
	char buf[4][16];
	struct iovec v[4];
	struct mmsghdr m[4] = { 0 };
	pthread_t t;

	CHECK_OK(socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
	t = spawn(body, NULL);
	settle();
	for (int i = 0; i < 4; i++) {
		memset(buf[i], 'a' + i, sizeof buf[i]);
		v[i] = (struct iovec){ buf[i], (size_t)i + 1 };
		m[i].msg_hdr.msg_iov = &v[i];
		m[i].msg_hdr.msg_iovlen = 1;
	}
	CHECK_EQ(sendmmsg(s[1], m, 4, 0), 4);
	join(t);
}
