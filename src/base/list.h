// SPDX-License-Identifier: BSD-2-Clause
/* Circular doubly linked list; the head is a node.  The caller guards it. */
#ifndef UPCALL_BASE_LIST_H
#define UPCALL_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list { struct list *next, *prev; };

#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))

static inline void list_init(struct list *head)
{
	head->next = head->prev = head;
}

static inline bool list_is_empty(const struct list *head)
{
	return head->next == head;
}

static inline void list_insert_before(struct list *at, struct list *node)
{
	node->prev = at->prev;
	node->next = at;
	__atomic_store_n(&at->prev->next, node, __ATOMIC_RELEASE);	/* for who walks along without the guard */
	at->prev = node;
}

static inline void list_push_back(struct list *head, struct list *node)
{
	list_insert_before(head, node);
}

static inline void list_push_front(struct list *head, struct list *node)
{
	list_insert_before(head->next, node);
}

static inline void list_remove(struct list *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	node->next = node->prev = NULL;
}

#endif
